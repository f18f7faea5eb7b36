export const SECONDS_PER_DAY = 86_400;

/** UTC day as `yyyy-mm-dd` of unix seconds. */
export function utcDay(timestampSeconds: number): string {
  return new Date(timestampSeconds * 1000).toISOString().slice(0, 10);
}

/** Unix seconds of the midnight that begins a UTC day `yyyy-mm-dd`; undefined when that is no day of the calendar. */
export function parseUtcDay(day: string): number | undefined {
  if (!/^\d{4}-\d{2}-\d{2}$/.test(day)) return undefined;
  const milliseconds = Date.parse(`${day}T00:00:00Z`);
  if (Number.isNaN(milliseconds)) return undefined;
  const seconds = milliseconds / 1000;
  return utcDay(seconds) === day ? seconds : undefined;
}

/** A span of whole seconds, less than 100 hours, as `hh:mm:ss`. */
export function clockTime(seconds: number): string {
  const parts = [seconds / 3600, (seconds / 60) % 60, seconds % 60];
  return parts.map((part) => String(Math.floor(part)).padStart(2, "0")).join(":");
}
