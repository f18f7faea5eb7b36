import { describe, expect, test } from "vitest";
import { type ContractOutput, readOutput } from "../../../src/verification/compilers/output.ts";
import {
  type CompiledFrom,
  matchContract,
  matchVyperContract,
  qualityOf,
  rankOf,
  readContract,
  unreportedAuxdata,
  withInnerAuxdata,
} from "../../../src/verification/match/contract-match.ts";
import { hasInnerAuxdata } from "../../../src/verification/match/metadata/auxdata.ts";
import { swarmHash } from "../../../src/verification/match/metadata/content-hash.ts";
import { addressAt } from "../../support/build.ts";
import {
  bareMetadata,
  bytes,
  compiled,
  matched,
  solcMetadata,
} from "../../support/compiled-code.ts";

const RUNTIME = "60016002fe";
const INIT = "6080f3fe";
const SOLIDITY: CompiledFrom = {
  language: "Solidity",
  release: "0.8.20",
  settings: {},
  sources: new Map(),
  unreported: new Map(),
};
const OLD_METADATA = bytes(
  "a165627a7a72305820",
  swarmHash(Buffer.from("{}"), "bzzr0").toString("hex"),
  "0029",
);

interface Parts {
  runtime?: string;
  creation?: string;
  assembly?: unknown;
  metadata?: string;
  sourceMap?: string;
}

/** A compiler's output for a contract of these codes. */
function outputOf({
  runtime = RUNTIME,
  creation = INIT,
  assembly,
  metadata = "",
  sourceMap,
}: Parts): ContractOutput {
  const contract = {
    abi: [],
    metadata,
    evm: {
      legacyAssembly: assembly,
      bytecode: { object: creation, sourceMap },
      deployedBytecode: { object: runtime },
    },
  };
  return readOutput(JSON.stringify({ contracts: { "A.sol": { A: contract } } })).contract(
    "A.sol",
    "A",
  );
}

/** A Solidity contract with metadata of this hash behind its runtime code, and that of contracts which it creates. */
function contractWith(hash: string, inner: string[] = []) {
  const own = solcMetadata(hash).toString("hex");
  const runtime = RUNTIME + own;
  const assemblies = [own, ...inner].map((value, index) => [index, { ".auxdata": value }]);
  const contract = readContract(
    outputOf({
      runtime,
      creation: INIT + runtime + inner.join(""),
      assembly: { ".data": Object.fromEntries(assemblies) },
    }),
    SOLIDITY,
  );
  if (contract === undefined) throw new Error("unreadable");
  return contract;
}

describe("what is read of a compiler's output", () => {
  const own = solcMetadata().toString("hex");
  const assembly = { ".data": { "0": { ".auxdata": own } } };
  const endOf = (language: CompiledFrom["language"]) =>
    readContract(outputOf({ runtime: RUNTIME + own, assembly }), { ...SOLIDITY, language })?.runtime
      .auxdata;

  test("metadata at the end of the code is what solc reports of a Solidity contract", () => {
    expect(endOf("Solidity")).toHaveLength(1);
    expect(endOf("Yul")).toEqual([]);
    expect(endOf("Vyper")).toEqual([]);
  });

  test.each(["runtime", "creation"])("code with unknown placeholders is not: %s", (which) => {
    expect(readContract(outputOf({ [which]: "60__" }), SOLIDITY)).toBeUndefined();
  });

  test.each([
    ["0.4.6", 0],
    ["0.4.7", 1],
    ["0.4.11", 1],
    ["0.4.12", 0],
  ])("metadata that is not reported is made of its text: %s", (release, found) => {
    const texts = () => new Map([["A.sol:A", "{}"]]);
    const ofLanguage = (language: CompiledFrom["language"]) =>
      unreportedAuxdata({ language, release }, texts);
    expect([...ofLanguage("Solidity").values()]).toEqual(Array(found).fill(OLD_METADATA));
    expect(ofLanguage("Yul")).toEqual(new Map());
  });

  test.each([
    // INVALID stands in front of the runtime code, or of data.
    [{ runtime: RUNTIME }, "", "data"],
    [{ runtime: "", sourceMap: "0;1" }, "", "data"],
    [{ runtime: "", creation: "3355", sourceMap: "0;1" }, "", "nothing"],
    [{ runtime: "" }, "", "nothing"],
    [{ runtime: RUNTIME }, 'verbatim_0i_0o(hex"60")', "nothing"],
  ])("what may follow code of Yul: %j %s", (parts, text, following) => {
    const from = { ...SOLIDITY, language: "Yul" as const, sources: new Map([["A.yul", text]]) };
    expect(readContract(outputOf(parts), from)).toMatchObject({ following });
  });

  describe("vyper's metadata", () => {
    const list = `855820${"aa".repeat(32)}18288000a165767970657283000403`;
    const creation = INIT + list + (list.length / 2 + 2).toString(16).padStart(4, "0");
    const vyper = (release: string, settings = {}, language: CompiledFrom["language"] = "Vyper") =>
      readContract(outputOf({ creation }), { ...SOLIDITY, language, release, settings })?.vyper;

    test("is read where that version writes it", () => {
      expect(vyper("0.4.1")).toMatchObject({ version: "0.4.3", integrity: bytes("aa".repeat(32)) });
      expect(vyper("0.4.0")).toMatchObject({ version: "0.4.3", integrity: null });
      expect(vyper("0.3.10")).toMatchObject({ version: "0.4.3", integrity: null });
      expect(vyper("0.3.9")).toBeNull();
    });

    test("is not read where it is switched off, or the compiler is another", () => {
      expect(vyper("0.4.1", { bytecodeMetadata: true })).not.toBeNull();
      expect(vyper("0.4.1", { bytecodeMetadata: false })).toBeNull();
      expect(vyper("0.4.1", {}, "Solidity")).toBeNull();
      expect(
        readContract(outputOf({}), { ...SOLIDITY, language: "Vyper", release: "0.4.1" })?.vyper,
      ).toBeNull();
    });
  });
});

describe("a contract of solc is compared with the code on chain", () => {
  const contract = contractWith("11");
  const { runtime, creation } = contract;
  const otherEnd = (code: Buffer) => Buffer.concat([code.subarray(0, -53), solcMetadata("22")]);
  const compare = (runtimeCode: Buffer, creationCode: Buffer | null, given: Buffer | null = null) =>
    matchContract(contract, { address: addressAt(1), runtimeCode, creationCode }, given);

  test("both codes", () => {
    const match = compare(runtime.bytes, creation.bytes);
    expect(match).toMatchObject({
      runtime: { quality: "full" },
      creation: { quality: "full" },
      compiledRuntime: runtime,
      compiledCreation: creation,
    });
    expect(qualityOf(match)).toBe("full");
    expect(rankOf(match)).toBe(4);
  });

  test("the runtime code alone", () => {
    const match = compare(runtime.bytes, null);
    expect(match.creation).toBeNull();
    expect(qualityOf(match)).toBe("full");
    expect(rankOf(match)).toBe(3);
  });

  test("other metadata is partial, other code is nothing", () => {
    const partial = compare(otherEnd(runtime.bytes), otherEnd(creation.bytes));
    expect([qualityOf(partial), rankOf(partial)]).toEqual(["partial", 2]);
    const alone = compare(otherEnd(runtime.bytes), bytes("6001"));
    expect([qualityOf(alone), rankOf(alone)]).toEqual(["partial", 1]);
    const other = compare(bytes("6001"), otherEnd(creation.bytes));
    expect([qualityOf(other), rankOf(other)]).toEqual(["partial", 1]);
    const neither = compare(bytes("6001"), bytes("6001"));
    expect([qualityOf(neither), rankOf(neither)]).toEqual([null, 0]);
    expect(qualityOf(compare(bytes("6001"), null))).toBeNull();
  });

  test("arguments of the request are looked for behind the creation code", () => {
    expect(compare(runtime.bytes, creation.bytes, bytes("01")).creation).toEqual({
      kind: "constructor-arguments",
      fault: "different",
      values: {},
    });
  });

  test("a blueprint holds the creation code", () => {
    const blueprint = Buffer.concat([bytes("fe7100"), creation.bytes]);
    expect(compare(blueprint, null).runtime).toMatchObject({ quality: "full" });
    expect(compare(Buffer.concat([bytes("fe7100"), runtime.bytes]), null).runtime).toMatchObject({
      kind: "length",
    });
  });

  test("the metadata of contracts that it creates counts for the creation code alone", () => {
    const parent = contractWith("11", ["a164736f6c6343000814000a"]);
    const match = matchContract(
      parent,
      {
        address: addressAt(1),
        runtimeCode: parent.runtime.bytes,
        creationCode: parent.creation.bytes,
      },
      null,
    );
    expect(match).toMatchObject({ runtime: { quality: "full" }, creation: { quality: "partial" } });
  });

  test("reported metadata counts also where its place is not known", () => {
    const own = solcMetadata().toString("hex");
    const child = bareMetadata().toString("hex");
    const assembly = { ".data": { "0": { ".auxdata": own }, "1": { ".auxdata": child } } };
    const parent = readContract(
      outputOf({ runtime: RUNTIME + own, creation: INIT + child + RUNTIME + own, assembly }),
      SOLIDITY,
    );
    if (parent === undefined) throw new Error("unreadable");
    const [runtimeCode, creationCode] = [parent.runtime.bytes, parent.creation.bytes];
    expect(
      matchContract(parent, { address: addressAt(1), runtimeCode, creationCode }, null),
    ).toMatchObject({
      runtime: { quality: "full" },
      creation: { quality: "partial" },
    });
  });

  test("metadata that is not reported counts where it stands", () => {
    const runtime = `60${OLD_METADATA.toString("hex")}`;
    const unreported = new Map([
      ["A.sol:A", OLD_METADATA],
      ["A.sol:Other", solcMetadata()],
    ]);
    const output = { ...outputOf({ runtime, creation: INIT + runtime }), metadata: "{}" };
    const old = readContract(output, { ...SOLIDITY, unreported });
    if (old === undefined) throw new Error("unreadable");
    const codes = {
      address: addressAt(1),
      runtimeCode: old.runtime.bytes,
      creationCode: old.creation.bytes,
    };
    expect(old.reported).toEqual(
      new Map([
        ["/0", OLD_METADATA],
        ["A.sol:A", OLD_METADATA],
      ]),
    );
    expect(hasInnerAuxdata(old.creation, old.reported)).toBe(false);
    expect(matchContract(old, codes, null)).toMatchObject({
      runtime: { quality: "full" },
      creation: { quality: "full" },
    });
  });
});

describe("metadata within the creation code", () => {
  test("is found by a second compile", () => {
    const child = solcMetadata("33").toString("hex");
    const otherChild = solcMetadata("44").toString("hex");
    const [first, second] = [contractWith("11", [child]), contractWith("22", [otherChild])];
    expect(hasInnerAuxdata(first.creation, first.reported)).toBe(true);
    const plain = contractWith("11");
    expect(hasInnerAuxdata(plain.creation, plain.reported)).toBe(false);
    const whole = withInnerAuxdata(first, second);
    expect(whole.runtime.auxdata.map(({ offset }) => offset)).toEqual([5]);
    expect(whole.creation.auxdata.map(({ offset }) => offset)).toEqual([9, 62]);
    expect(whole.reported).toBe(first.reported);
  });
});

describe("a contract of vyper is compared with the code on chain", () => {
  const contract = {
    output: outputOf({}),
    runtime: compiled(bytes(RUNTIME)),
    creation: compiled(bytes(INIT)),
    reported: new Map(),
    vyper: null,
    following: [],
  };
  const compare = (runtimeCode: Buffer, creationCode: Buffer | null) =>
    matchVyperContract(contract, { address: addressAt(1), runtimeCode, creationCode }, null);

  test("both codes, or the runtime code alone", () => {
    expect(compare(bytes(RUNTIME), bytes(INIT))).toMatchObject({
      runtime: matched({ quality: "partial" }),
      creation: matched({ quality: "partial" }),
      compiledRuntime: contract.runtime,
      compiledCreation: contract.creation,
    });
    expect(compare(bytes(RUNTIME), null).creation).toBeNull();
  });

  test("a blueprint holds the creation code", () => {
    expect(compare(bytes("fe7100", INIT), null).runtime).toMatchObject({ quality: "partial" });
    expect(compare(bytes("fe7100", RUNTIME), null).runtime).toMatchObject({ kind: "bytes" });
  });
});
