import { fold } from '../../log/fold.ts'

const listOf = (words: string): readonly string[] => fold(words).split(/\s+/)

/** What people have made in a talk and name again later, in English, German, Spanish, Arabic and Hindi. */
const things = new Set(
  listOf(
    `agenda agreement algorithm article bio blueprint brief budget calendar chart checklist contract
curriculum cv diagram essay framework guide handout inventory itinerary letter lyrics matrix memo menu
outline pitch plan playbook poem proposal pseudocode questionnaire quiz recipe regimen report resume roadmap routine
schedule schema script shortlist song speech spreadsheet storyboard strategy summary syllabus template timeline
timetable tracker workflow worksheet
aufsatz bericht brief drehbuch einladung fahrplan gedicht gliederung leitfaden plan rede rezept
ubersicht vertrag vorlage zusammenfassung
calendario carta contrato correo cuento ensayo esquema guion horario informe itinerario poema presupuesto
propuesta receta resumen tabla
الخطة الجدول المسودة الرسالة التقرير الملخص الميزانية الوصفة العقد القصيدة المقال
सूची योजना मसौदा पत्र ईमेल रिपोर्ट बजट रेसिपी मेनू रूपरेखा समयसारणी`,
  ),
)

/** Of these there are too many: one is only meant where more is said of it, as in "the packing list" and "the list you made". */
export const common = new Set(
  listOf(
    'draft drafts email emails list lists table tables document documents liste entwurf tabelle borrador lista tabla القائمة सूची तालिका',
  ),
)

/** German joins words: "Einkaufsliste". */
const germanEndings = listOf('liste plan entwurf tabelle brief bericht vertrag vorlage rezept')

/** The same in Chinese, Japanese and Korean. Longer words first: of two that match, the one that says more. */
const joinedThings = listOf(
  `チェックリスト スケジュール テンプレート アウトライン 체크리스트 契約書 報告書 予定表 旅程表 时间表 行程表 계약서 보고서 제안서 이메일 일정표 清单 清單
大纲 大綱 提纲 计划 計劃 計画 日程 草稿 模板 表格 报告 報告 提案 预算 予算 菜谱 食谱 菜单 合同 邮件 方案 行程 下書き 手紙 メール レシピ リスト 목록 계획
일정 초안 편지 예산 레시피 템플릿 개요`,
)

/** The thing that a word names, if it is one. */
export function thingOf(word: string): string | undefined {
  if (things.has(word) || common.has(word)) return word
  const single = word.replace(/(?:e?s|e?n|e)$/, '')
  if (things.has(single)) return single
  const isJoined = word.length > 7 && germanEndings.some(ending => word.endsWith(ending))
  return isJoined ? word : joinedThings.find(thing => word.includes(thing))
}

/** Words before a thing that is known already. Arabic writes its article into the word. */
export const knowing = new Set(
  listOf(
    `the our my your that those der die das den dem des unser unsere unserer unseren unserem mein meine meiner meinen meinem
dein deine deiner deinen el la los las nuestro nuestra nuestros nuestras mi mis tu tus su sus ese esa`,
  ),
)

/** Words that say which version of a thing is meant, and not which thing. */
export const versions = new Set(
  listOf(
    `actual agreed complete consolidated current detailed earlier entire exact final finalized finished first full initial
last latest new newest old original overall own previous proposed refined revised same second updated whole
aktuelle aktuellen aktualisierte endgultige fertige ganze ganzen letzte letzten neue neuen uberarbeitete vorige vorigen
actual actualizado actualizada completo completa final nuevo nueva ultima ultimo`,
  ),
)
