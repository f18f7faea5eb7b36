import { hash } from "node:crypto";
import type { FastifyReply, FastifyRequest } from "fastify";
import { calmTurn } from "../../core/turns.ts";
import type { ServedHead } from "../../store/sync-state.ts";
import type { Answer } from "../explorer/envelope.ts";
import { send } from "./http.ts";

/** Characters above which hashing and sending each get a turn of the event loop: each takes tens of milliseconds. */
const LARGE_TEXT = 1_000_000;

/** For answers that a client may cache but must revalidate. */
export const REVALIDATE = "no-cache";

/** Returns the tag of answers that depend only on blocks up to the head. Another index or program may present them differently. */
export function tagOfHead(
  { hash: block, generation, indexId }: ServedHead,
  program: string,
): string {
  return hashTag(`${block};${generation};${indexId};${program}`);
}

/** Returns the tags of `if-none-match` as weak ones, as RFC 9110 (13.1.2) compares them; none for methods that do not read. */
export function knownTags({ method, headers }: FastifyRequest): readonly string[] {
  if (method !== "GET" && method !== "HEAD") return [];
  const tags = (headers["if-none-match"] ?? "").split(",").map((tag) => tag.trim());
  return tags.filter((tag) => tag !== "").map((tag) => tag.replace(/^(?=")/, "W/"));
}

/** Returns whether a client has an answer with the tag; `*` matches any. */
export function hasTag(request: FastifyRequest, etag: string): boolean {
  const known = knownTags(request);
  return known.includes(etag) || known.includes("*");
}

/** Sends an answer with its own tag, else one of its text, and 304 to a client that has it. */
export async function sendTagged(
  request: FastifyRequest,
  reply: FastifyReply,
  answer: Answer,
): Promise<FastifyReply> {
  const isRead = request.method === "GET" || request.method === "HEAD";
  if (!isRead || (answer.httpStatus !== 200 && answer.httpStatus !== 304)) {
    return send(reply, answer);
  }
  const isLarge = answer.body.length > LARGE_TEXT;
  if (isLarge) await calmTurn();
  const etag = answer.etag ?? hashTag(answer.body);
  if (isLarge) await calmTurn();
  reply.headers({ etag, "cache-control": REVALIDATE, vary: "accept-encoding" });
  return hasTag(request, etag)
    ? send(reply, { ...answer, httpStatus: 304, body: "" })
    : send(reply, answer);
}

/** Returns a weak tag: the same answer is sent in several encodings. */
function hashTag(text: string): string {
  return `W/"${hash("sha1", text, "base64url")}"`;
}
