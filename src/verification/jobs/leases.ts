/** Time without a renewal after which a job counts as abandoned. */
const EXPIRY_MS = 15_000;

/**
 * Creates the watch over leases: of those that stand now it tells which were not renewed for long. That is measured from when
 * it first saw them, for the database's clock, by which they are written, may be set at any time.
 */
export function createLeaseWatch(): (leases: readonly string[]) => string[] {
  let seen = new Map<string, number>();
  return (leases) => {
    const now = performance.now();
    seen = new Map(leases.map((lease) => [lease, seen.get(lease) ?? now]));
    return leases.filter((lease) => now - (seen.get(lease) ?? now) >= EXPIRY_MS);
  };
}
