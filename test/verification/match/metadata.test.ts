import { expect, test } from "vitest";
import {
  findVyperVersion,
  readCodeMetadata,
  readVyperMetadata,
} from "../../../src/verification/match/metadata.ts";

function bytes(hex: string): Buffer {
  return Buffer.from(hex, "hex");
}

const HASH = "12".repeat(32);

test.each([
  [
    "ipfs since 0.6.0",
    `a264697066735822${"1220"}${HASH}64736f6c63430008140033`,
    "ipfs",
    `1220${HASH}`,
    "0.8.20",
  ],
  [
    "Swarm of 0.5.12 to 0.5.17",
    `a265627a7a72315820${HASH}64736f6c63430005110032`,
    "bzzr1",
    HASH,
    "0.5.17",
  ],
  ["Swarm up to 0.5.8, without a version", `a165627a7a72305820${HASH}0029`, "bzzr0", HASH, null],
])("reads the metadata of %s", (_what, hex, kind, value, solc) => {
  const code = bytes(`6001600155fe${hex}`);
  expect(readCodeMetadata(code)).toEqual({
    hash: { kind, value: bytes(value) },
    solc,
    bytes: bytes(hex),
  });
});

test("reads the version where there is no hash, and the long one of a pre-release", () => {
  expect(readCodeMetadata(bytes("fea164736f6c6343000814000a"))).toMatchObject({
    hash: null,
    solc: "0.8.20",
  });
  const nightly = Buffer.from("0.8.21-nightly.2023.6.28+commit.ec9e8f3f");
  const map = Buffer.concat([bytes("a164736f6c637828"), nightly]);
  const length = Buffer.alloc(2);
  length.writeUInt16BE(map.length);
  const code = Buffer.concat([bytes("fe"), map, length]);
  expect(readCodeMetadata(code)?.solc).toBe(nightly.toString());
});

test.each([
  ["nothing", ""],
  ["a length beyond the code", "6001ffff"],
  ["a length of zero", "60010000"],
  ["CBOR that is no map", "830102030004"],
  ["keys that solc does not write", "a16161000004"],
  ["a hash that is no bytes", "a164697066730100" + "07"],
  ["a hash that is too long", `a164697066735823${"1220"}${HASH}00002b`],
  ["a Swarm hash that is too short", `a165627a7a7231581f${HASH.slice(2)}0028`],
  ["another multihash than SHA-256 of 32 bytes", `a164697066735822${"1120"}${HASH}002a`],
  ["two hashes", `a264697066735822${"1220"}${HASH}65627a7a72315820${HASH}0053`],
  ["a version of four bytes", "a164736f6c634400081400000b"],
  ["a version text with code in it", "a164736f6c6363305b33000a"],
  ["no hash and no version", "a16c6578706572696d656e74616cf5000f"],
  ["an experiment that is not true", "a264736f6c63430008146c6578706572696d656e74616cf40018"],
])("takes %s for no metadata", (_what, hex) => {
  expect(readCodeMetadata(bytes(hex))).toBeNull();
});

test("reads vyper's list behind creation code, and its version anywhere", () => {
  const list = `855820${HASH}1901c8810800a1657679706572830004030036`;
  expect(readVyperMetadata(bytes(`5f80fd${list}`))).toEqual({
    version: "0.4.3",
    integrity: bytes(HASH),
    immutableBytes: 0,
    offset: 3,
  });
  expect(readVyperMetadata(bytes("5f80fd"))).toBeNull();
  expect(findVyperVersion(bytes(`5f80fd${list}${"00".repeat(64)}`))).toBe("0.4.3");
  expect(findVyperVersion(bytes("6001a165767970657283000307000b"))).toBe("0.3.7");
  expect(findVyperVersion(bytes("6001a1657679706572830003"))).toBeNull();
});
