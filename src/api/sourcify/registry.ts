import type { Endpoint } from "./endpoint.ts";
import { allChains } from "./endpoints/all-chains.ts";
import { chains } from "./endpoints/chains.ts";
import { contract } from "./endpoints/contract.ts";
import { contracts } from "./endpoints/contracts.ts";
import { job } from "./endpoints/job.ts";
import { contractLink, jobLink } from "./endpoints/links.ts";
import { similar } from "./endpoints/similar.ts";
import { verify } from "./endpoints/verify.ts";
import { verifyMetadata } from "./endpoints/verify-metadata.ts";

/** Every endpoint of Sourcify's dialect, in the order of the documentation. */
export const endpoints: readonly Endpoint[] = [
  verify,
  verifyMetadata,
  job,
  contract,
  allChains,
  similar,
  contracts,
  chains,
  jobLink,
  contractLink,
];
