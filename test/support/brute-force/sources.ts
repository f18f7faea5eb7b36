import type { Address } from "viem";
import type { ContractEvent } from "../oracle/contracts.ts";
import type { Oracle } from "../oracle/oracle.ts";
import { isContract } from "./funding.ts";
import { addressOf, pageOf, paging } from "./parameters.ts";
import { type Answerer, fail, type Question, succeed, type WireAnswer } from "./wire.ts";

const NOT_VERIFIED = "Contract source code not verified";

function ofAddress(answer: (address: Address, question: Question) => WireAnswer): Answerer {
  return (question) => {
    const text = question.parameters.get("address");
    if (text === undefined) return fail(question.dialect, "Query parameter address is required");
    const address = addressOf(text);
    return address ? answer(address, question) : fail(question.dialect, "Invalid address hash");
  };
}

/** ABI of an unverified contract. */
export const getabi = ofAddress((_, { dialect }) => fail(dialect, NOT_VERIFIED));

/** Source of an unverified contract. */
export const getsourcecode = ofAddress((address, { dialect }) =>
  succeed([
    dialect === "blockscout"
      ? { Address: address }
      : {
          SourceCode: "",
          ABI: NOT_VERIFIED,
          ContractName: "",
          CompilerVersion: "",
          OptimizationUsed: "",
          Runs: "",
          ConstructorArguments: "",
          EVMVersion: "Default",
          Library: "",
          LicenseType: "Unknown",
          Proxy: "0",
          Implementation: "",
          SwarmSource: "",
          SimilarMatch: "",
        },
  ]),
);

function compareEvents(left: ContractEvent, right: ContractEvent): number {
  return (
    left.blockNumber - right.blockNumber ||
    left.transactionIndex - right.transactionIndex ||
    left.position - right.position ||
    (left.address < right.address ? -1 : 1)
  );
}

/**
 * Each contract once, at its first appearance: at its creation, or, where none is on the chain
 * (genesis), before everything else of the first block with its address. Without traces the latter
 * is unknown.
 */
function firstSeen(oracle: Oracle): Address[] {
  const { creations, addresses, internalTransactions } = oracle;
  const created = new Set(creations.map(({ address }) => address));
  const before = [...addresses].flatMap(([address, { firstBlock: blockNumber }]) =>
    internalTransactions && !created.has(address) && isContract(oracle, address)
      ? [{ address, blockNumber, transactionIndex: -1, position: -1 }]
      : [],
  );
  const all = [...creations, ...before].toSorted(compareEvents);
  return [...new Set(all.map(({ address }) => address))];
}

const FILTERS = ["verified", "unverified", "empty"];

/** Contracts by age; the node's code at the head shows whether one is empty. */
export const listcontracts: Answerer = ({ oracle, dialect, parameters }) => {
  const page = paging(parameters, { offset: 10, window: false });
  if (page === "too large") throw new Error("listcontracts has no window");
  const text = parameters.get("filter");
  const kind = FILTERS.find((name) => name === text) ?? FILTERS[Number(text) - 1];
  if (text !== undefined && !kind) {
    const message = `${text} is not a valid value for \`filter\`. Please use one of: verified, unverified, 1, 2.`;
    return fail(dialect, message, 400);
  }
  const isEmpty = (address: Address) => (oracle.addresses.get(address)?.code ?? "0x") === "0x";
  const found = firstSeen(oracle).filter((address) => {
    if (kind === undefined) return true;
    return kind !== "verified" && isEmpty(address) === (kind === "empty");
  });
  return succeed(pageOf(found, page).map((address) => ({ Address: address, ABI: NOT_VERIFIED })));
};
