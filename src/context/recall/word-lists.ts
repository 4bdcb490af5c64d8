/** Words that carry no meaning for matching. They are left out. */
export const stopWords: ReadonlySet<string> = toSet(
  `a about also am an and any are as at be been but by can could d did didn do does doesn don for from get got had has
  have he her hers him his how i if in into is isn it its just like ll m me my of on or our re really s she should so some
  t than that the their them then there these they this those to ve was wasn we were what when where which who whom why
  will with would you your`,
)

/** Words that are common in any conversation. They count half. */
export const commonWords: ReadonlySet<string> = toSet(
  `able absolutely actually add after afternoon again against ago ah all allow almost already alright although always
  another anyone anything appear around ask away back bad because before began begin believe best better between big bit
  both bring build buy bye call came case change clear come consider course create cut day definitely die different down
  during each early easy end enough even evening ever every everyone everything exactly expect fact fall feel felt few
  find fine first five follow found four full gave give glad go good great grow guess guy guys hand happen happy hard
  hello help here hey hi high himself hmm hold home hope house however huh idea important keep kind knew know last late
  later lead learn leave let life little live long look lose lot love low made make man many maybe mean meet men month
  more morning most move much myself name need never new next nice night no not nothing now number off offer oh ok okay
  old once one only open other out over own part pay people perhaps place please point probably problem provide put
  question quite reach read ready real reason remain remember right said same saw say see seem send serve set short show
  since sit small someone something soon sorry sort speak spend stand start stay still stop stuff such suppose sure take
  talk tell thank thanks themselves thing think though three through time today told tomorrow tonight too took totally
  true try turn two um under understand until up use very wait walk want watch way week well while whole win within
  without woman work world wow write wrong yeah year yep yes yesterday yet yourself yup`,
)

function toSet(list: string): ReadonlySet<string> {
  return new Set(list.split(/\s+/))
}
