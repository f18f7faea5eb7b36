import { sleep } from "../core/async.ts";
import { messageOf } from "../core/errors.ts";
import type { Claim } from "./claim.ts";
import type { Origin } from "./origins.ts";
import { envelope, textOf, type Web } from "./web.ts";

/** Outcome of one contract. */
export type Imported = { address: string } & (
  | { outcome: "verified" | "known" }
  | { outcome: "refused"; reason: string }
);

const POLL_MS = 500;
const PENDING = "Pending in queue";
const VERIFIED = "Pass - Verified";
const ALREADY = /already verified/i;

/** Verifies addresses at `here` by the origin's claims, skipping verified ones, so that a second run continues. */
export async function importContracts(
  origin: Origin,
  here: Web,
  addresses: AsyncIterable<string> | Iterable<string>,
  onEach: (imported: Imported) => void,
): Promise<Imported[]> {
  const all: Imported[] = [];
  for await (const address of addresses) {
    const imported = await importOne(origin, here, address);
    all.push(imported);
    onEach(imported);
  }
  return all;
}

async function importOne(origin: Origin, here: Web, address: string): Promise<Imported> {
  try {
    if (await isVerified(here, address)) return { address, outcome: "known" };
    const claim = await origin.claim(address);
    if (!claim) return { address, outcome: "refused", reason: "the origin shows no source" };
    return { address, ...(await verify(here, address, claim)) };
  } catch (error) {
    return { address, outcome: "refused", reason: messageOf(error) };
  }
}

async function isVerified(here: Web, address: string): Promise<boolean> {
  const parameters = { module: "contract", action: "getabi", address };
  return envelope.parse(await here.get({ parameters })).status === "1";
}

async function verify(
  here: Web,
  contractaddress: string,
  claim: Claim,
): Promise<{ outcome: "verified" | "known" } | { outcome: "refused"; reason: string }> {
  const submission = { module: "contract", action: "verifysourcecode", contractaddress, ...claim };
  const submitted = envelope.parse(await here.post(submission));
  if (submitted.status !== "1") {
    const reason = textOf(submitted);
    return ALREADY.test(reason) ? { outcome: "known" } : { outcome: "refused", reason };
  }
  const guid = String(submitted.result);
  for (;;) {
    const parameters = { module: "contract", action: "checkverifystatus", guid };
    const answer = envelope.parse(await here.get({ parameters }));
    if (answer.result === VERIFIED) return { outcome: "verified" };
    if (answer.result !== PENDING) return { outcome: "refused", reason: textOf(answer) };
    await sleep(POLL_MS);
  }
}
