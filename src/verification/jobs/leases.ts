const EXPIRY_MS = 15_000;

/** Creates a watch that returns leases not renewed for long, by its own clock: the database's may change. */
export function createLeaseWatch(): (leases: readonly string[]) => string[] {
  let seen = new Map<string, number>();
  return (leases) => {
    const now = performance.now();
    seen = new Map(leases.map((lease) => [lease, seen.get(lease) ?? now]));
    return leases.filter((lease) => now - (seen.get(lease) ?? now) >= EXPIRY_MS);
  };
}
