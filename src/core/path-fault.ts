import { codeOf, messageOf } from "./errors.ts";

const FAULTS: Readonly<Record<string, string>> = {
  ENOENT: "there is none",
  ENOTDIR: "a file stands in its place or in the path to it",
  EISDIR: "a folder stands in its place",
  EACCES: "this user has no right to it",
  EROFS: "its file system is read-only",
  ENOSPC: "its disk is full",
};

/** Returns why a file or folder is unusable, as the end of a sentence; without its name for known system codes. */
export function pathFault(error: unknown): string {
  return FAULTS[codeOf(error)] ?? messageOf(error);
}
