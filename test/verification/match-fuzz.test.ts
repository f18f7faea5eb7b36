import { createRequire } from "node:module";
import { expect, test } from "vitest";
import { type ContractOutput, readOutput } from "../../src/verification/compilers/output.ts";
import { loadSoljson } from "../../src/verification/compilers/soljson.ts";
import { isMatch } from "../../src/verification/match/code/code-match.ts";
import {
  type CompiledContract,
  matchContract,
  readContract,
  withInnerAuxdata,
} from "../../src/verification/match/contract-match.ts";
import { addressAt } from "../support/build.ts";

const SEED = 20_261_122;
const TRIES = 5000;
const VERSION = "0.8.28";
const ADDRESS = addressAt(1);

/** A generator with a seed (mulberry32): from 0 up to, not including, `limit`. */
function randomOf(seed: number): (limit: number) => number {
  let state = seed;
  return (limit) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * limit);
  };
}

const SOURCE = `pragma solidity 0.8.28;
library Maths {
    function twice(uint256 value) external pure returns (uint256) { return 2 * value; }
}
contract Child {
    bytes public note = hex"a2646970667358221220aabbccddeeff00112233445566778899aabbccdd000000000000000000000000000064736f6c634300081c0033";
}
contract Maker {
    address public immutable owner;
    uint256 public immutable fee;
    constructor() { owner = msg.sender; fee = 30; }
    function make() external returns (Child) { return new Child(); }
    function six(uint256 value) external view returns (uint256) { return 3 * Maths.twice(value) + fee; }
}
`;

/** The compared contract, and the two codes as an honest deployment leaves them. */
interface Program {
  contract: CompiledContract;
  runtimeCode: Buffer;
  creationCode: Buffer;
}

function compile(viaIR: boolean, source: string): ContractOutput {
  const require = createRequire(import.meta.url);
  const soljson = loadSoljson(require.resolve(`solc-${VERSION}/soljson.js`));
  const selected = ["abi", "metadata", "evm"];
  const input = {
    language: "Solidity",
    sources: { "Maker.sol": { content: source } },
    settings: {
      viaIR,
      optimizer: { enabled: viaIR },
      outputSelection: { "*": { "*": [...selected, "evm.legacyAssembly"] } },
    },
  };
  return readOutput(soljson.compile(JSON.stringify(input))).contract("Maker.sol", "Maker");
}

function programOf(viaIR: boolean): Program {
  const [first, second] = [SOURCE, `${SOURCE} `].map((source) =>
    readContract(compile(viaIR, source), {
      language: "Solidity",
      settings: {},
      sources: new Map(),
      release: VERSION,
      unreported: new Map(),
    }),
  );
  if (first === undefined || second === undefined) throw new Error("nothing was compiled");
  const contract = withInnerAuxdata(first, second);
  const [runtimeCode, creationCode] = [contract.runtime, contract.creation].map((code) => {
    const bytes = Buffer.from(code.bytes);
    for (const { offset, length } of code.libraries) bytes.fill(0x77, offset, offset + length);
    return bytes;
  }) as [Buffer, Buffer];
  for (const { offset } of contract.runtime.immutables) runtimeCode[offset + 31] = 30;
  return { contract, runtimeCode, creationCode };
}

const programs = [programOf(false), programOf(true)];

/** Places that the rules leave open, by the compiler and the form of its metadata. */
function openPlaces({ contract }: Program, which: "runtime" | "creation"): Set<number> {
  const open = new Set<number>();
  const add = (from: number, length: number) => {
    for (let at = from; at < from + length; at++) open.add(at);
  };
  const code = contract[which];
  for (const { offset, length } of [...code.libraries, ...code.immutables]) add(offset, length);
  // a2 64 "ipfs" 58 22 12 20, then the 32 bytes of the hash.
  for (const { offset } of code.auxdata) add(offset + 10, 32);
  return open;
}

function isAccepted({ contract }: Program, runtimeCode: Buffer, creationCode: Buffer | null) {
  const { runtime, creation } = matchContract(
    contract,
    { address: ADDRESS, runtimeCode, creationCode },
    null,
  );
  return { runtime: isMatch(runtime), creation: creation !== null && isMatch(creation) };
}

test("honest codes match, metadata in their middle too", () => {
  for (const program of programs) {
    expect(program.contract.creation.auxdata.length).toBeGreaterThan(1);
    expect(isAccepted(program, program.runtimeCode, program.creationCode)).toEqual({
      runtime: true,
      creation: true,
    });
    for (const which of ["runtime", "creation"] as const) {
      const codes = { runtime: program.runtimeCode, creation: program.creationCode };
      const changed = Buffer.from(codes[which]);
      const at = program.contract[which].auxdata[0]?.offset ?? 0;
      changed[at + 20] = (changed[at + 20] ?? 0) ^ 1;
      const { runtimeCode, creationCode } = {
        runtimeCode: codes.runtime,
        creationCode: codes.creation,
      };
      expect(
        which === "runtime"
          ? isAccepted(program, changed, null).runtime
          : isAccepted(program, runtimeCode, changed).creation,
      ).toBe(true);
      expect(creationCode.length).toBeGreaterThan(runtimeCode.length);
    }
  }
});

test(`${TRIES} codes with one other byte outside what is left open: none is accepted`, () => {
  const random = randomOf(SEED);
  const accepted: string[] = [];
  for (let tried = 0; tried < TRIES; tried++) {
    const program = programs[tried % programs.length] as Program;
    const which = random(2) === 0 ? "runtime" : "creation";
    const code = which === "runtime" ? program.runtimeCode : program.creationCode;
    const open = openPlaces(program, which);
    let at = random(code.length);
    while (open.has(at)) at = random(code.length);
    const changed = Buffer.from(code);
    changed[at] = (changed[at] ?? 0) ^ (1 + random(255));
    const outcome =
      which === "runtime"
        ? isAccepted(program, changed, null).runtime
        : isAccepted(program, program.runtimeCode, changed).creation;
    if (outcome) accepted.push(`${which} of ${tried % programs.length} at ${at}`);
  }
  expect(accepted).toEqual([]);
});

/** This compiler's output, as a pattern over hex digits: other bytes are not its own. */
const REAL = /^a[12](?:646970667358221220.{64}|65627a7a723[01]5820.{64})?64736f6c634300081c00..$/;

test(`${TRIES} tails that somebody made up in the place of metadata: none is accepted`, () => {
  const random = randomOf(SEED + 1);
  const bytes = (length: number) => Buffer.from(Array.from({ length }, () => random(256)));
  const head = (type: number, length: number) =>
    length < 24 ? Buffer.from([(type << 5) | length]) : Buffer.from([(type << 5) | 24, length]);
  const KEYS = ["ipfs", "bzzr0", "bzzr1", "solc", "experimental", "code", "ip", ""];
  const entry = () => {
    const key = Buffer.from(KEYS[random(KEYS.length)] ?? "");
    const value = bytes([0, 3, 4, 31, 32, 33, 34, 35, 64, 200][random(10)] ?? 0);
    const type = [2, 2, 2, 3, 4, 5][random(6)] ?? 2;
    return Buffer.concat([head(3, key.length), key, head(type, value.length), value]);
  };
  const withLength = (map: Buffer) =>
    Buffer.concat([map, Buffer.from([map.length >> 8, map.length & 255])]);
  const accepted: string[] = [];
  for (let tried = 0; tried < TRIES; ) {
    const program = programs[tried % programs.length] as Program;
    const last = program.contract.runtime.auxdata.at(-1);
    if (last === undefined) throw new Error("the code ends in no metadata");
    const real = program.runtimeCode.subarray(last.offset);
    let tail: Buffer;
    switch (random(4)) {
      case 0:
        tail = withLength(bytes(1 + random(120)));
        break;
      case 1: {
        const entries = Array.from({ length: 1 + random(3) }, entry);
        tail = withLength(Buffer.concat([Buffer.from([0xa0 | entries.length]), ...entries]));
        break;
      }
      case 2: {
        // Its hash apart: real metadata with another byte or two.
        tail = Buffer.from(real);
        for (let left = 1 + random(2); left > 0; left--) {
          const at = random(21);
          tail[at < 10 ? at : at + 32] = random(256);
        }
        break;
      }
      default:
        // Real metadata, and something in front of it or within.
        tail = withLength(
          Buffer.concat([real.subarray(0, 10), bytes(random(33)), real.subarray(10, -2)]),
        );
    }
    const digits = tail.toString("hex");
    if (REAL.test(digits)) continue;
    tried++;
    const code = Buffer.concat([program.runtimeCode.subarray(0, last.offset), tail]);
    if (isAccepted(program, code, null).runtime) accepted.push(digits);
  }
  expect(accepted).toEqual([]);
});
