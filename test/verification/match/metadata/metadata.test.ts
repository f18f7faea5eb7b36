import { describe, expect, test } from "vitest";
import {
  findVyperVersions,
  isSameCompiler,
  parseCodeMetadata,
  readCodeMetadata,
  readVyperMetadata,
} from "../../../../src/verification/match/metadata/metadata.ts";
import { bareMetadata, bytes, solcMetadata } from "../../../support/compiled-code.ts";

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
  ["no CBOR", "60ffff0002"],
  ["a hash that is text", `a165627a7a72317820${"61".repeat(32)}0029`],
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

test("reads vyper's list behind creation code", () => {
  const list = `855820${HASH}1901c8810800a1657679706572830004030036`;
  expect(readVyperMetadata(bytes(`5f80fd${list}`))).toEqual({
    version: "0.4.3",
    integrity: bytes(HASH),
    immutableBytes: 0,
    offset: 3,
  });
  expect(readVyperMetadata(bytes("5f80fd"))).toBeNull();
});

test("finds vyper's versions anywhere in code", () => {
  const mark = (version: string) => `a165767970657283${version}`;
  expect(findVyperVersions(bytes(`5f${mark("000403")}0036${"00".repeat(64)}`))).toEqual(["0.4.3"]);
  expect(findVyperVersions(bytes(mark("000403")))).toEqual(["0.4.3"]);
  expect(findVyperVersions(bytes(`6001${mark("000307")}000b${mark("000402")}`))).toEqual([
    "0.3.7",
    "0.4.2",
  ]);
  expect(findVyperVersions(bytes(`6001${mark("0003")}`))).toEqual([]);
});

/** A list as vyper writes it, in hex digits, with its length behind it. */
function listed(list: string, length = list.length / 2 + 2): Buffer {
  return bytes("5f80fd", list, length.toString(16).padStart(4, "0"));
}

test("vyper 0.3.10 wrote no hash of the sources", () => {
  expect(readVyperMetadata(listed("841901c881081840a16576797065728300030a"))).toEqual({
    version: "0.3.10",
    integrity: null,
    immutableBytes: 64,
    offset: 3,
  });
});

test.each([
  ["nothing", bytes("")],
  ["a byte", bytes("00")],
  ["no CBOR", listed("ff")],
  ["CBOR that is no list", listed("a16576797065728300030a")],
  ["a list without a version", listed("82188000")],
  ["a version that is no list", listed("8200a165767970657200")],
  ["a size of the immutables that is no number", listed("8240a16576797065728300030a")],
  ["a length of nothing", listed("8200a16576797065728300030a", 0)],
])("takes %s for no metadata of vyper", (_what, code) => {
  expect(readVyperMetadata(code)).toBeNull();
});

test("a length beyond the code counts as no metadata of vyper", () => {
  const list = "8200a16576797065728300030a";
  const size = list.length / 2 + 2;
  expect(readVyperMetadata(bytes(list, (2 * size).toString(16).padStart(4, "0")))).toBeNull();
});

test("metadata fills its bytes exactly", () => {
  const whole = solcMetadata();
  expect(parseCodeMetadata(whole)).not.toBeNull();
  expect(parseCodeMetadata(Buffer.concat([whole.subarray(0, -1), bytes("34")]))).toBeNull();
  expect(parseCodeMetadata(bytes(""))).toBeNull();
  expect(parseCodeMetadata(bytes("0000"))).toBeNull();
});

describe("metadata is of the same compiler", () => {
  const nightly = (name: string) => {
    const text = Buffer.from(`0.8.21-nightly.2023.6.28+commit.${name}`);
    const map = Buffer.concat([bytes("a164736f6c6378", text.length.toString(16)), text]);
    return Buffer.concat([map, bytes(map.length.toString(16).padStart(4, "0"))]);
  };
  const isSame = (there: Buffer, compiled: Buffer) =>
    isSameCompiler(parseCodeMetadata(there), compiled);

  test("when both name the same version, or none", () => {
    expect(isSame(solcMetadata("22"), solcMetadata("11"))).toBe(true);
    expect(isSame(bareMetadata(), solcMetadata())).toBe(true);
    expect(isSame(bareMetadata("000815"), solcMetadata())).toBe(false);
    const old = bytes(`a165627a7a72305820${HASH}0029`);
    expect(isSame(old, old)).toBe(true);
    expect(isSame(old, solcMetadata())).toBe(false);
    expect(isSameCompiler(null, solcMetadata())).toBe(false);
    expect(isSameCompiler(null, bytes("00"))).toBe(false);
  });

  test("when both are of a pre-release, whatever its text", () => {
    expect(isSame(nightly("ec9e8f3f"), nightly("00000000"))).toBe(true);
    expect(isSame(nightly("ec9e8f3f"), bareMetadata())).toBe(false);
    expect(isSame(bareMetadata(), nightly("ec9e8f3f"))).toBe(false);
  });
});
