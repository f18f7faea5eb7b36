import { expect, test } from "vitest";
import { runKit } from "../../src/kit/commands.ts";

test.each([
  ["/nowhere", "must be a file that this user can read, but there is none"],
  [import.meta.dirname, "must be a file that this user can read, but a folder stands in its place"],
  ["/dev/null", "must be a file with addresses, but it has none"],
])("a list of addresses that cannot be used, %s, is told with the reason", async (file, reason) => {
  for (const command of ["compare", "import-contracts"] as const) {
    const lines: string[] = [];
    const given = ["http://127.0.0.1:1/api", "--addresses", file];
    expect(await runKit(command, given, (line) => lines.push(line))).toBe(2);
    expect(lines).toEqual([`periscope ${command}: --addresses ${reason}`]);
  }
});

test.each([
  ["http://127.0.0.1:1/api", "bad port"],
  ["http://127.0.0.1:2/api", "ECONNREFUSED"],
])("a server that cannot be reached, %s, is told with the reason", async (url, reason) => {
  const lines: string[] = [];
  expect(await runKit("import-contracts", [url], (line) => lines.push(line))).toBe(2);
  expect(lines).toEqual([`periscope import-contracts: ${url} does not answer (${reason})`]);
});
