import { expect } from "vitest";

/** Follows links as a browser does; returns the titles of their pages. Rejects without a page. */
export async function follow(links: readonly string[]): Promise<string[]> {
  return Promise.all(
    links.map(async (link) => {
      const response = await fetch(link, { headers: { accept: "text/html" } });
      const [, title = ""] = /<title>(.*)<\/title>/.exec(await response.text()) ?? [];
      expect([link, response.status, title]).toEqual([link, 200, expect.stringMatching(/./)]);
      return title;
    }),
  );
}

/** The links to an explorer in what a program said, each once. */
export function linksIn(said: string, origin: string): string[] {
  const found = said.match(/https?:\/\/[^\s"'<>)\]]+/g) ?? [];
  return [...new Set(found)].filter((link) => link.startsWith(`${origin}/`));
}
