import type { DatabaseServer } from "./measure/database.ts";
import type { Comparison, Section } from "./measure/report.ts";

/** Input of every benchmark. */
export interface Bench {
  server: DatabaseServer;
  /** For logs and profiles. */
  folder: string;
  /** Sizes for a look whether everything works, not for figures. */
  quick: boolean;
  /** Take CPU profiles of the product. */
  profile: boolean;
  /** Reports progress. */
  say(text: string): void;
  /** Called as soon as its figures are complete. */
  report(report: Section | Comparison): void;
}
