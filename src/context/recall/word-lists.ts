/** Words that carry no meaning for matching. They are left out. */
export const stopWords: ReadonlySet<string> = toSet(
  `a about also am an and any are as at be been but by can could d did didn do does doesn don for from get got had has
  have he her hers him his how i if in into is isn it its just like ll m me my of on or our re really s she should so some
  t than that the their them then there these they this those to ve was wasn we were what when where which who whom why
  will with would you your`,
)

/** Words that are common in any conversation. They count half. */
export const commonWords: ReadonlySet<string> = toSet(
  `able actually add after again all almost already always another anyone anything around ask away back bad because
  before begin best better between big bit both bring build buy call came case change clear come course create cut
  day different down during each end enough even ever every everyone everything fact feel felt few find fine first
  five follow found four gave give go good great guy happen happy hard hello help here hey hi high home hope house
  however idea important keep kind know last late later learn leave let life little live long look lot love low
  made make man many maybe mean meet month more morning most move much name need never new next nice night no not
  nothing now number off oh ok okay old once one only open other out over own part pay people place please point
  probably problem put question read ready real remember right said same say see seem send set short show since
  small someone something soon sorry sort speak start stay still stop such sure take talk tell thank thing
  think though three through time today told tomorrow too took true try turn two under understand until up use
  very wait want way week well while without work write yeah year yes yesterday yet`,
)

function toSet(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/))
}
