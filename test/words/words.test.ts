import { expect, test } from "vitest";
import {
  type Phrase,
  ratesOf,
  sentencesOfComments,
  sentencesOfDocuments,
  type Text,
  worstOf,
} from "./words.ts";

/** Highest rates per 1,000 words; they may only go down, to the aims in words.ts. */
const CEILINGS: [name: string, texts: Text[], ceilings: Record<Phrase, number>][] = [
  [
    "comments",
    sentencesOfComments(),
    { tells: 0.2, What: 0.12, anew: 0.05, nobody: 0.12, "is no": 0.2 },
  ],
  [
    "documents",
    sentencesOfDocuments(),
    { tells: 0.58, What: 0.25, anew: 0.05, nobody: 0.26, "is no": 0.58 },
  ],
];

test.each(CEILINGS)("%s keep to the rates of words", (_name, texts, ceilings) => {
  const above = Object.entries(ratesOf(texts)).filter(
    ([phrase, rate]) => rate > ceilings[phrase as Phrase],
  );
  const sentences = above.length === 0 ? [] : worstOf(texts, 20);
  expect({ above, sentences }).toEqual({ above: [], sentences: [] });
});

test("a sentence counts by its phrases, a question by none", () => {
  const texts = ["What a node tells.", "What is that?", "It is no use: nobody reads anew."];
  const found = texts.map((sentence) => ({ file: "a.md", sentence }));
  expect(worstOf(found, 3).map(({ sentence }) => sentence)).toEqual([texts[2], texts[0]]);
  const rate = 1000 / 14;
  expect(ratesOf(found)).toEqual({
    tells: rate,
    What: rate,
    anew: rate,
    nobody: rate,
    "is no": rate,
  });
});
