import { afterAll, beforeAll, expect, test } from "vitest";
import type { Address } from "../../../../src/core/evm/address.ts";
import {
  type DeploymentProof,
  getDeploymentProof,
} from "../../../../src/store/contracts/verified/deployment-proofs.ts";
import { addressAt, blockHash, publish } from "../../../support/build.ts";
import { createTestDatabase, type TestDatabase } from "../../../support/postgres.ts";
import { save } from "../../../support/verified-contract.ts";

let database: TestDatabase;

beforeAll(async () => {
  database = await createTestDatabase();
  await publish(database.sql, { blocks: [{ number: 0 }, { number: 1 }] });
});

afterAll(() => database.drop());

const [contract, library, namesake, impostor] = [1, 2, 3, 5].map(addressAt) as [
  Address,
  Address,
  Address,
  Address,
];
const place = { blockNumber: 1, blockHash: blockHash(1), creationTransaction: null };
const proof: DeploymentProof = {
  construction: "compared",
  immutables: "compared",
  values: [{ name: "fee", type: "uint256", value: "0x1e" }],
  runtimeCode: "compiled",
  run: null,
  libraries: [
    { name: "src/MathLib.sol:MathLib", address: library },
    { name: "src/OtherLib.sol:OtherLib", address: namesake },
    { name: "src/TrueLib.sol:TrueLib", address: impostor },
    { name: "src/NoLib.sol:NoLib", address: addressAt(4) },
  ],
};
const files = ["Math", "Other", "True", "No"].map((name) => ({
  path: `src/${name}Lib.sol`,
  text: `library ${name}Lib { function honest() external {} }`,
}));

/** Verifies a library from a file of its own. */
function saveLibrary(address: Address, name: string, source = files[0]) {
  if (source === undefined) throw new Error("no source");
  const named = { contractName: name, filePath: source.path };
  return save(database.sql, { ...place, address, ...named }, [source]);
}

test("tells of each library whether the code at its address is verified as it, from the same text", async () => {
  await save(database.sql, { ...place, address: contract, proof }, files);
  await saveLibrary(library, "MathLib");
  await saveLibrary(namesake, "Ledger", files[1]);
  await saveLibrary(impostor, "TrueLib", { path: "src/TrueLib.sol", text: "library TrueLib {}" });
  expect(await getDeploymentProof(database.sql, contract)).toMatchObject({
    ...proof,
    libraries: proof.libraries.map((linked, index) => ({ ...linked, isVerified: index === 0 })),
  });
});

test("knows nothing of what is not verified, or was before proofs were kept", async () => {
  expect(await getDeploymentProof(database.sql, addressAt(9))).toBeUndefined();
  await database.sql`UPDATE verified_contracts SET proof = NULL WHERE address = ${library}`;
  expect(await getDeploymentProof(database.sql, library)).toBeUndefined();
});

test("a run that proves replaces an equal match that no node could run, never the other way round", async () => {
  const partial = { ...place, runtimeMatch: "partial", creationMatch: null } as const;
  const ran = (outcome: "equal" | "not-run") => {
    const kind = outcome === "equal" ? "run" : "unknown";
    const run = { outcome, reason: "" };
    const own: DeploymentProof = { ...proof, libraries: [], immutables: kind, run };
    return save(database.sql, { ...partial, address: addressAt(6), proof: own });
  };
  expect(await ran("not-run")).toBe(true);
  expect(await ran("not-run")).toBe(false);
  expect(await ran("equal")).toBe(true);
  for (const outcome of ["equal", "not-run"] as const) expect(await ran(outcome)).toBe(false);
  expect(await getDeploymentProof(database.sql, addressAt(6))).toMatchObject({ immutables: "run" });
});
