import { jsonAnswer } from "../../envelope.ts";
import type { Endpoint } from "../endpoint.ts";

// What Foundry and Hardhat print for people. The places are relative, so that a prefix of a proxy survives.

export const jobLink: Endpoint = {
  name: "job-link",
  method: "GET",
  path: "/verify-ui/jobs/{verificationId}",
  summary: "Sends people who follow a client's link to the state of a job",
  answers: { 302: { description: "Where the state is" } },
  handle: async (_context, { path, parameters: { verificationId = "" } }) =>
    seeOther(path, `v2/verify/${encodeURIComponent(verificationId)}`),
};

export const contractLink: Endpoint = {
  name: "contract-link",
  method: "GET",
  path: "/repo-ui/{chainId}/{address}",
  summary: "Sends people who follow a client's link to all that is known of a contract",
  answers: { 302: { description: "Where the contract is" } },
  handle: async (_context, { path, parameters: { chainId = "", address = "" } }) => {
    const place = [chainId, address].map(encodeURIComponent).join("/");
    return seeOther(path, `v2/contract/${place}?fields=all`);
  },
};

/** As many levels up as the path goes down behind its first part, which may lack the slash behind the base. */
function seeOther(path: string, target: string) {
  const below = path.replace(/^.*?(?:verify-ui|repo-ui)/, "");
  const levels = "../".repeat(below.split("/").length - 1);
  const base = /^\/+sourcifyverify-ui/.test(path) ? "sourcify/" : "";
  return { ...jsonAnswer({}, 302), location: `${levels}${base}${target}` };
}
