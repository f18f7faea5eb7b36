import { hash } from "node:crypto";
import { setImmediate as nextTurn } from "node:timers/promises";
import type { FastifyReply, FastifyRequest } from "fastify";
import type { ServedHead } from "../store/sync-state.ts";
import type { Answer } from "./envelope.ts";
import { send } from "./http.ts";

/** Texts of more characters are hashed and sent in turns of the event loop of their own: each takes tens of milliseconds. */
const LARGE_TEXT = 1_000_000;

/** Of what may be kept, if its tag is asked for first. */
const REVALIDATE = "no-cache";

/** Tag of answers that follow from the blocks up to the head alone; another version may present them differently. */
export function tagOfHead({ hash: block, generation }: ServedHead, version: string): string {
  return tagOf(`${block};${generation};${version}`);
}

/** The tags that a client has answers of. None for other methods than those that read. */
export function knownTags({ method, headers }: FastifyRequest): readonly string[] {
  if (method !== "GET" && method !== "HEAD") return [];
  return (headers["if-none-match"] ?? "").split(",").map((tag) => tag.trim());
}

/**
 * Sends an answer to a request that reads, so that clients may keep it and ask whether it is still right: by its own tag,
 * else by one of its text. What they have is answered with 304.
 */
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
  if (isLarge) await nextTurn();
  const etag = answer.etag ?? tagOf(answer.body);
  if (isLarge) await nextTurn();
  reply.headers({ etag, "cache-control": REVALIDATE, vary: "accept-encoding" });
  return knownTags(request).includes(etag)
    ? send(reply, { ...answer, httpStatus: 304, body: "" })
    : send(reply, answer);
}

/** Weak: the same answer is sent in several encodings. */
function tagOf(text: string): string {
  return `W/"${hash("sha1", text, "base64url")}"`;
}
