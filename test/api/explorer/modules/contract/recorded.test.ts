import { afterAll, beforeAll } from "vitest";
import { insertProxyCheck } from "../../../../../src/store/contracts/proxies.ts";
import { guidOf } from "../../../../../src/verification/jobs/submit.ts";
import { createVerifier } from "../../../../../src/verification/verifier.ts";
import { createTestApp, type TestApp } from "../../../../support/app.ts";
import { addressAt, publish } from "../../../../support/build.ts";
import { nodeBlocks } from "../../../../support/node-blocks.ts";
import { recordedCases } from "../../../../support/recorded-cases.ts";
import { type ScriptedNode, startScriptedNode } from "../../../../support/scripted-node.ts";
import { save } from "../../../../support/verified-contract.ts";

// Answers before any compile, and afterwards; verification.test.ts has those in between.

const VERIFIED = addressAt(1);
const LOGIC = addressAt(2);
const WITHOUT_CODE = addressAt(3);
const guid = (digit: string) => guidOf(VERIFIED, digit.repeat(16));
const [PASSED, FAILED, FOUND, SEVERAL, NONE] = [
  guid("0"),
  guid("a"),
  guid("2"),
  guid("3"),
  guid("4"),
] as const;

let node: ScriptedNode;
let server: TestApp;
beforeAll(async () => {
  node = await startScriptedNode();
  node.chain.mine({});
  server = await createTestApp({ nodeUrl: node.url });
  const { sql, served } = server;
  served.verifier = createVerifier({ ...served, works: null });
  const blocks = nodeBlocks(node.chain);
  await publish(sql, { blocks });
  await save(sql, { address: VERIFIED, blockHash: node.chain.head.block.hash });
  for (const [job, failure, reason] of [
    [PASSED, null, null],
    [FAILED, "bytecode", "Bytecode does not match, please try again."],
  ] as const) {
    await sql`
      INSERT INTO verification_jobs (guid, address, client, compiler, compiler_version, state, failure, reason, finished_at)
      VALUES (${job}, ${VERIFIED}, ${`0x${"00".repeat(32)}`}, 'solc', 'v0.8.37', ${failure ? "failed" : "passed"},
        ${failure}, ${reason}, now())`;
  }
  for (const [check, implementations] of [
    [FOUND, [LOGIC]],
    [SEVERAL, [LOGIC, WITHOUT_CODE]],
    [NONE, []],
  ] as const) {
    await insertProxyCheck(sql, {
      guid: check,
      address: VERIFIED,
      implementations: [...implementations],
    });
  }
});
afterAll(async () => {
  await server.close();
  await node.stop();
});

const single = (address: string) =>
  `codeformat=solidity-single-file&contractaddress=${address}&contractname=C&compilerversion=v0.8.37`;
const standardJson = "codeformat=solidity-standard-json-input";
const flattened = (address: string) =>
  `addressHash=${address}&name=C&compilerVersion=v0.8.37&optimization=0&contractSourceCode=contract`;
const VERIFY = {
  nothing: "",
  "no name": `addressHash=${WITHOUT_CODE}`,
  "no compiler": `addressHash=${WITHOUT_CODE}&name=C`,
  "no source": `addressHash=${WITHOUT_CODE}&name=C&compilerVersion=v0.8.37&optimization=0`,
  "bad address": flattened("0x12"),
  "already verified": flattened(VERIFIED),
  "no code": flattened(WITHOUT_CODE),
};
const METADATA_FILES = {
  nothing: "",
  "bad address": "addressHash=0x12",
  "already verified": `addressHash=${VERIFIED}`,
  "no files": `addressHash=${WITHOUT_CODE}`,
  "text for files": `addressHash=${WITHOUT_CODE}&files=x`,
  "files that are none": `addressHash=${WITHOUT_CODE}&files[]=x&files[]=y`,
};

recordedCases(() => server.app, "contract", {
  verifysourcecode: {
    nothing: "",
    "bad codeformat": `codeformat=x&contractaddress=${WITHOUT_CODE}`,
    "single file without an address": "codeformat=solidity-single-file&sourceCode=x",
    "standard JSON without a source": `${standardJson}&contractaddress=${WITHOUT_CODE}`,
    "Vyper JSON without an address": "codeformat=vyper-json&sourceCode=x",
    "already verified": single(VERIFIED),
    "bad address": single("0x12"),
    "no name": `${standardJson}&contractaddress=${WITHOUT_CODE}&sourceCode=x`,
    "no compiler": `${standardJson}&contractaddress=${WITHOUT_CODE}&sourceCode=x&contractname=C`,
    "no optimisation": `${single(WITHOUT_CODE)}&sourceCode=x`,
    "bad optimisation": `${single(WITHOUT_CODE)}&sourceCode=x&optimizationUsed=yes`,
    "no source": `${single(WITHOUT_CODE)}&optimizationUsed=1`,
    "no code": `${single(WITHOUT_CODE)}&optimizationUsed=1&sourceCode=x`,
  },
  verify: {
    ...VERIFY,
    "no optimisation": `addressHash=${WITHOUT_CODE}&name=C&compilerVersion=v0.8.37`,
  },
  verify_vyper_contract: VERIFY,
  verify_via_sourcify: METADATA_FILES,
  verify_via_repository: METADATA_FILES,
  checkverifystatus: {
    passed: `guid=${PASSED}`,
    failed: `guid=${FAILED.toUpperCase()}`,
    unknown: `guid=${guid("5")}`,
    malformed: "guid=",
    nothing: "",
  },
  verifyproxycontract: {
    "not verified": `address=${WITHOUT_CODE}`,
    bad: "address=0x12",
    nothing: "",
  },
  checkproxyverification: {
    one: `guid=${FOUND}`,
    several: `guid=${SEVERAL}`,
    none: `guid=${NONE}`,
    unknown: `guid=${guid("5")}`,
    malformed: "guid=",
    nothing: "",
  },
});
