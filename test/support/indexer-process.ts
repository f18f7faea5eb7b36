import { startTestIndexer, type TestIndexerOptions } from "./indexer.ts";

// An indexer as a process of its own, to be killed: its options are its first argument, as JSON.

startTestIndexer(JSON.parse(process.argv[2] ?? "") as TestIndexerOptions);
