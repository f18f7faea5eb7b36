import { pipeline, type Readable } from "node:stream";
import { createGunzip } from "node:zlib";
import { NodeError } from "./errors.ts";
import type { LargeAnswer, Sift } from "./large-answer.ts";

/** As it came, or read already. */
export type Body = { text: string } | { read: unknown };

export interface BodyLimits {
  /** In bytes, of what is held as it came. */
  most: number;
  /** How a larger one is read. */
  sift: (() => Sift) | undefined;
  /** Begins the words of an error. */
  subject: string;
}

/** Reads the body of an answer. Throws `NodeError` where it is too large, and what the stream throws. */
export async function readBody(
  body: AsyncIterable<Uint8Array>,
  { most, sift, subject }: BodyLimits,
): Promise<Body> {
  const pieces: Uint8Array[] = [];
  let bytes = 0;
  let large: LargeAnswer | undefined;
  for await (const piece of body) {
    bytes += piece.length;
    pieces.push(piece);
    if (bytes <= most) continue;
    if (sift) large ??= await beginLargeAnswer(sift());
    if (!large?.read(...pieces.splice(0))) {
      throw new NodeError("response-too-large", `${subject}: the answer exceeds the limit`);
    }
  }
  return large ? { read: large.end() } : { text: new TextDecoder().decode(Buffer.concat(pieces)) };
}

/** The parser is loaded with the first such answer. */
async function beginLargeAnswer(sift: Sift): Promise<LargeAnswer> {
  const { LargeAnswer } = await import("./large-answer.ts");
  return new LargeAnswer(sift);
}

/** A body without its gzip encoding. */
export function unzip(packed: Readable): Readable {
  const unzipped = createGunzip();
  // An error of either ends both, and is thrown to the reader.
  pipeline(packed, unzipped, () => {});
  return unzipped;
}
