import { createRequire } from "node:module";
import type { JSONParser } from "@streamparser/json";
import { messageOf } from "../../core/errors.ts";
import { NodeError } from "../errors/errors.ts";

const require = createRequire(import.meta.url);

/** A parsed value with its position. */
interface ReadValue {
  value: unknown;
  /** In the object or list around it; undefined for the answer itself. */
  key: string | number | undefined;
  /** The number of objects and lists around it. */
  depth: number;
}

/** Called for each value of an answer, inner ones first. It may drop unneeded fields of an object. */
export type Sift = (read: ReadValue) => void;

/** Some 500 MB of memory, independent of the values. */
const MOST_VALUES = 10_000_000;

/** Parses JSON incrementally, and keeps only what the sift leaves. */
export class LargeAnswer {
  readonly #parser: JSONParser;
  #values = 0;
  #answer: unknown;

  constructor(sift: Sift) {
    // Loaded with the first such answer; otherwise each chain's thread would load it.
    const json: typeof import("@streamparser/json") = require("@streamparser/json");
    this.#parser = new json.JSONParser({ stringBufferSize: 64 * 1024 });
    this.#parser.onValue = ({ value, key, stack }) => {
      this.#values++;
      sift({ value, key, depth: stack.length });
      if (stack.length === 0) this.#answer = value;
    };
  }

  /** Returns false when the values exceed the limit. Throws `NodeError` for invalid JSON. */
  read(...pieces: Uint8Array[]): boolean {
    try {
      for (const piece of pieces) this.#parser.write(piece);
    } catch (error) {
      throw new NodeError("bad-answer", `the answer is broken: ${messageOf(error)}`);
    }
    return this.#values <= MOST_VALUES;
  }

  /** Returns the answer after its last piece. Throws `NodeError` when it is incomplete. */
  end(): unknown {
    if (!this.#parser.isEnded) throw new NodeError("bad-answer", "the answer ended too early");
    return this.#answer;
  }
}
