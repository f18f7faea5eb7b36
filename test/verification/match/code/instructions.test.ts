import { expect, test } from "vitest";
import { environmentOf } from "../../../../src/verification/match/code/instructions.ts";
import { bytes } from "../../../support/compiled-code.ts";

const asks = (creation: string, runtime = "") =>
  environmentOf(bytes(creation), runtime === "" ? Buffer.alloc(0) : bytes(runtime));

test("what a constructor asks for are its instructions, not what it pushes", () => {
  expect(asks("303360004201")).toEqual(["ADDRESS", "CALLER", "TIMESTAMP"]);
  expect(asks("6030623342310145")).toEqual(["GASLIMIT"]);
});

test("the runtime code in it counts as little, the last copy of it", () => {
  expect(asks("6001fe6002425b00", "6002425b00")).toEqual([]);
  expect(asks("4233fe423300", "4233")).toEqual(["CALLER", "TIMESTAMP"]);
  expect(asks("6001fe600242fe43", "600242")).toEqual(["NUMBER"]);
});

test.each(["f0", "f1", "f2", "f4", "f5", "fa"])(
  "with 0x%s, which runs other code, it may ask for anything",
  (opcode) => {
    expect(asks(`6000${opcode}`)).toContain("BLOBBASEFEE");
    expect(asks(`60${opcode}`)).toEqual([]);
  },
);
