import { expect, test } from "vitest";
import { keptSources } from "../../../src/verification/engine/kept-sources.ts";
import { readStandardJson } from "../../../src/verification/inputs/standard-json.ts";

function kept(input: object) {
  const read = readStandardJson(
    JSON.stringify({ language: "Vyper", ...input }),
    "Main.vy",
    "vyper",
  );
  return keptSources(read, "Main.vy", "");
}

const main = { "Main.vy": { content: "import ITotal as ITotal\nfrom lib import helper\n" } };

test("what vyper was given beside the sources is kept of the files that belong to the contract", () => {
  const used = {
    "ITotal.vy": { content: "from . import IDeeper" },
    "IDeeper.json": { abi: [{ type: "fallback" }] },
  };
  expect(
    kept({
      sources: { ...main, "lib/helper.vy": { content: "" }, "alien.vy": { content: "" } },
      interfaces: { ...used, "IAlien.json": { abi: [] } },
      storage_layout_overrides: { "Main.vy": { total: { slot: 7 } }, "alien.vy": {} },
    }),
  ).toEqual({
    sources: [
      { path: "Main.vy", text: main["Main.vy"].content },
      { path: "lib/helper.vy", text: "" },
    ],
    further: { interfaces: used, storage_layout_overrides: { "Main.vy": { total: { slot: 7 } } } },
  });
});

test("nothing is kept where nothing of it belongs to the contract", () => {
  expect(kept({ sources: main, interfaces: { "IAlien.json": { abi: [] } } }).further).toEqual({});
});

test("an interface out of the project is refused, one that is not imported is not looked at", () => {
  const interfaces = (path: string) => kept({ sources: main, interfaces: { [path]: { abi: [] } } });
  expect(() => interfaces("../ITotal.json")).toThrow('must be relative and without ".."');
  expect(interfaces("../IAlien.json").further).toEqual({});
});
