/** Returns the cases of a long matrix: all in the suites that set EVERY_CASE, the first `count` in the ordinary one. */
export function firstCases<Case>(cases: readonly Case[], count: number): readonly Case[] {
  return process.env["EVERY_CASE"] ? cases : cases.slice(0, count);
}
