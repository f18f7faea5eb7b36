import { jsonAnswer } from "../../explorer/envelope.ts";
import type { Endpoint } from "../endpoint.ts";

// Links for people from Foundry and Hardhat. The targets are relative, so that the prefix of a proxy stays.

export const jobLink: Endpoint = {
  name: "job-link",
  path: "/verify-ui/jobs/{verificationId}",
  summary: "Sends people who follow a client's link to the state of a job",
  answers: { 302: { description: "Where the state is" } },
  handle: async (_context, { path, parameters: { verificationId = "" } }) =>
    seeOther(path, `v2/verify/${encodeURIComponent(verificationId)}`),
};

export const contractLink: Endpoint = {
  name: "contract-link",
  path: "/repo-ui/{chainId}/{address}",
  summary: "Sends people who follow a client's link to the page of the contract",
  answers: { 302: { description: "Where the contract is" } },
  handle: async (_context, { path, parameters: { chainId = "", address = "" } }) => {
    const page = `${encodeURIComponent(chainId)}/address/${encodeURIComponent(address)}#code`;
    // From the root: the path may have a chain before the base already.
    return redirect(path.split("/").length - 2, page);
  },
};

function seeOther(path: string, target: string) {
  const below = path.replace(/^.*?(?:verify-ui|repo-ui)/, "");
  const base = /\/sourcifyverify-ui/.test(path) ? "sourcify/" : "";
  return redirect(below.split("/").length - 1, base + target);
}

function redirect(levels: number, target: string) {
  return { ...jsonAnswer({}, 302), location: "../".repeat(levels) + target };
}
