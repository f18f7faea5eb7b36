import { globSync, readFileSync } from "node:fs";
import path from "node:path";

// Run as a program (`npm run words`), this file prints the rates and the sentences with most of the phrases.

/** Phrases that make a text hard to read, each with the rate that is aimed at, per 1,000 words. */
export const PHRASES = {
  tells: { pattern: /\b(?:tells?|told)\b/gi, aim: 0.58 },
  // A sentence that begins so and is no question.
  What: { pattern: /^What\b(?!.*\?$)/g, aim: 0.12 },
  anew: { pattern: /\banew\b/gi, aim: 0.05 },
  nobody: { pattern: /\b(?:nobody|anybody|whoever|whatever)\b/gi, aim: 0.26 },
  "is no": { pattern: /\bis no\b/gi, aim: 0.58 },
} as const;

export type Phrase = keyof typeof PHRASES;

export interface Text {
  file: string;
  sentence: string;
}

const ROOT = path.join(import.meta.dirname, "../..");

/** Returns the sentences of the comments in src. */
export function sentencesOfComments(): Text[] {
  return sentencesOf("src/**/*.ts", (text) =>
    [...text.matchAll(/^\s*\/\*\*((?:(?!\*\/).)*)\*\/|((?:^\s*\/\/[^\n]*\n)+)/gms)].map(
      ([, block, lines]) => (block ?? lines ?? "").replaceAll(/^\s*(?:\*|\/\/)/gm, ""),
    ),
  );
}

/** Returns the sentences of README.md and docs, without examples. */
export function sentencesOfDocuments(): Text[] {
  return sentencesOf("{README,docs/**/*}.md", (text) =>
    text.replaceAll(/^```.*?^```$/gms, "").split(/\n\s*\n|^#+ |^\s*[-*] |\|/m),
  );
}

function sentencesOf(files: string, paragraphsOf: (text: string) => string[]): Text[] {
  return globSync(files, { cwd: ROOT }).flatMap((file) =>
    paragraphsOf(readFileSync(path.join(ROOT, file), "utf8"))
      .flatMap((paragraph) =>
        paragraph
          .replaceAll(/\s+/g, " ")
          .trim()
          .split(/(?<=[.!?:]) /),
      )
      .filter((sentence) => sentence !== "")
      .map((sentence) => ({ file, sentence })),
  );
}

/** Returns how often each phrase occurs per 1,000 words. */
export function ratesOf(texts: readonly Text[]): Record<Phrase, number> {
  const words = texts.reduce((sum, { sentence }) => sum + sentence.split(" ").length, 0);
  return Object.fromEntries(
    Object.entries(PHRASES).map(([phrase, { pattern }]) => {
      const found = texts.reduce((sum, { sentence }) => sum + count(sentence, pattern), 0);
      return [phrase, (found * 1000) / words];
    }),
  ) as Record<Phrase, number>;
}

/** Returns the sentences with most of the phrases for their length, the worst first. */
export function worstOf(texts: readonly Text[], most: number): Text[] {
  const patterns = Object.values(PHRASES);
  return texts
    .map((text) => {
      const found = patterns.reduce((sum, { pattern }) => sum + count(text.sentence, pattern), 0);
      return { text, found, density: found / text.sentence.length };
    })
    .filter(({ found }) => found > 0)
    .sort((one, other) => other.found - one.found || other.density - one.density)
    .slice(0, most)
    .map(({ text }) => text);
}

function count(sentence: string, pattern: RegExp): number {
  return sentence.match(pattern)?.length ?? 0;
}

if (import.meta.main) {
  for (const [name, texts] of [
    ["comments", sentencesOfComments()],
    ["documents", sentencesOfDocuments()],
  ] as const) {
    const rates = Object.entries(ratesOf(texts)).map(
      ([phrase, rate]) => `  ${phrase}: ${rate.toFixed(2)}, aim ${PHRASES[phrase as Phrase].aim}`,
    );
    const worst = worstOf(texts, 30).map(({ file, sentence }) => `  ${file}: ${sentence}`);
    process.stdout.write(`${[name, ...rates, "worst", ...worst].join("\n")}\n`);
  }
}
