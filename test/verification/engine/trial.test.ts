import { describe, expect, test } from "vitest";
import { type Hex, hexConcat } from "../../../src/core/evm/hex.ts";
import type { ImmutableValue } from "../../../src/store/contracts/verified/deployment-proofs.ts";
import type { CompilerInput } from "../../../src/verification/compilers/input.ts";
import type { Candidate, Session } from "../../../src/verification/engine/attempt.ts";
import { trialOf } from "../../../src/verification/engine/trial.ts";
import type { Trial } from "../../../src/verification/match/similar.ts";
import { bytes, compiled, matched, wordOf } from "../../support/compiled-code.ts";

// The code to run where another constructor ran. The attacks test what its runs prove.

const WORD = wordOf(7n);
/** A value with a jump destination in it: the code could be made to run it. */
const JUMPED_TO = wordOf(0x5b00n);
const TAKES_ONE = [{ type: "constructor", inputs: [{ type: "uint256" }] }];
const LIBRARY = "11".repeat(20);
const OTHER = { kind: "bytes", offset: 0, metadataEqual: false } as const;
const KEPT = {
  nodeType: "VariableDeclaration",
  stateVariable: true,
  typeDescriptions: { typeIdentifier: "t_function_internal_nonpayable$__$" },
};

interface Situation {
  /** Code that stops at once, by default. */
  code?: string;
  runtimeCode?: string;
  creation?: Partial<Candidate["match"]>["creation"];
  abi?: typeof TAKES_ONE;
  following?: "data";
  /** The end of the creation on chain. */
  end?: Buffer;
  given?: Buffer | null;
  /** Where the address of a library belongs in the code. */
  libraryAt?: number;
  linked?: Record<string, Hex>;
  language?: CompilerInput["language"];
  text?: string;
  tree?: object;
  viaIR?: boolean;
  /** Compiled runtime code. */
  held?: string;
  values?: ImmutableValue[];
}

async function trialIn(situation: Situation): Promise<Trial | null> {
  const { code = "00", abi = [], end = bytes(""), given = null, libraryAt, linked } = situation;
  const { creation = OTHER, runtimeCode = "6001", language = "Solidity", viaIR } = situation;
  const libraries =
    libraryAt === undefined ? [] : [{ id: "M.sol:M", offset: libraryAt, length: 20 }];
  const output = JSON.stringify({ sources: { "A.sol": { id: 0, ast: situation.tree ?? {} } } });
  const session = {
    compiler: { maxOutputBytes: 1_000_000, compile: async () => output },
    onChain: {
      runtimeCode: bytes(runtimeCode),
      creationCode: Buffer.concat([bytes("fe".repeat(40)), end]),
    },
    given,
  } as unknown as Session;
  const input = {
    language,
    sources: new Map([["A.sol", situation.text ?? ""]]),
    rest: {},
    settings: {},
  } as unknown as CompilerInput;
  const candidate = {
    contract: {
      output: { abi, metadata: viaIR ? JSON.stringify({ settings: { viaIR } }) : "" },
      following: situation.following ?? abi,
    },
    match: {
      runtime: matched(linked && { values: { libraries: linked } }),
      creation,
      compiledCreation: compiled(bytes(code), { libraries }),
      compiledRuntime: compiled(bytes(situation.held ?? "")),
    },
  } as unknown as Candidate;
  return trialOf(session, input, candidate, situation.values ?? []);
}

async function trial(situation: Situation): Promise<Hex[] | null> {
  const made = await trialIn(situation);
  return made?.endings.map((ending) => hexConcat(made.code, ending)) ?? null;
}

const hex = (...parts: (Buffer | string)[]): Hex =>
  `0x${parts.map((part) => (typeof part === "string" ? part : part.toString("hex"))).join("")}`;

test("nothing is run where the compiled constructor ran, or none that is known", async () => {
  expect(await trial({ creation: matched() })).toBeNull();
  expect(await trial({ creation: null })).toBeNull();
  expect(await trial({ runtimeCode: "fe710000" })).toBeNull();
});

test("the compiled code is run with the arguments at the end of the creation, or those given", async () => {
  expect(await trial({})).toEqual(["0x00"]);
  expect(await trial({ abi: TAKES_ONE, end: WORD })).toEqual([hex("00", WORD)]);
  expect(await trial({ abi: TAKES_ONE, end: WORD, given: wordOf(8n) })).toEqual([
    hex("00", wordOf(8n)),
  ]);
});

test("where the creation copies the code itself, nothing in it is taken for arguments", async () => {
  const copied = Buffer.concat([bytes("6001"), WORD.subarray(30)]);
  const runs = await trial({
    abi: TAKES_ONE,
    end: Buffer.concat([WORD, copied]),
    runtimeCode: copied.toString("hex"),
  });
  expect(runs?.length).toBeGreaterThan(1);
  expect(runs).not.toContain(hex("00", Buffer.concat([WORD, copied]).subarray(-32)));
});

test("it is linked as the runtime code is", async () => {
  const code = `73${"00".repeat(20)}00`;
  expect(await trial({ code, libraryAt: 1, linked: { "M.sol:M": `0x${LIBRARY}` } })).toEqual([
    hex("73", LIBRARY, "00"),
  ]);
  expect(await trial({ code, libraryAt: 1 })).toEqual([]);
});

test("other bytes than arguments are not run", async () => {
  expect(await trial({ abi: TAKES_ONE, given: bytes("01") })).toEqual([]);
  expect(await trial({ given: WORD })).toEqual([]);
  expect(await trial({ language: "Yul", following: "data", given: bytes("01") })).toEqual([
    "0x0001",
  ]);
});

describe("arguments that the code could run", () => {
  const jumped = { abi: TAKES_ONE, end: JUMPED_TO };
  const run = [hex("00", JUMPED_TO)];

  test("are not run where the source keeps functions, unless the IR does", async () => {
    expect(await trial({ ...jumped, tree: KEPT })).toEqual([]);
    expect(await trial({ ...jumped, tree: KEPT, viaIR: true })).toEqual(run);
    expect(await trial(jumped)).toEqual(run);
    expect(await trial({ ...jumped, end: WORD, tree: KEPT })).toEqual([hex("00", WORD)]);
  });

  test("are not run by Yul with instructions of its author's own", async () => {
    const yul = { language: "Yul", following: "data", given: JUMPED_TO } as const;
    expect(await trial({ ...yul, text: "verbatim_0i_0o" })).toEqual([]);
    expect(await trial(yul)).toEqual(run);
    expect(await trial({ ...yul, text: "verbatim_0i_0o", given: WORD })).toEqual([hex("00", WORD)]);
    expect(await trial({ ...jumped, text: "verbatim" })).toEqual(run);
  });
});

test("a constructor may ask what its runtime code asks only where it may jump there", async () => {
  const values = [{ name: "fee", type: "uint256", value: WORD }] as unknown as ImmutableValue[];
  const situation: Situation = { code: "33fe4200", held: "4200", values };
  expect((await trialIn(situation))?.asks).toEqual(["CALLER"]);
  const kept = { ...situation, tree: KEPT };
  expect((await trialIn(kept))?.asks).toEqual(["CALLER", "TIMESTAMP"]);
  expect((await trialIn({ ...kept, viaIR: true }))?.asks).toEqual(["CALLER"]);
});
