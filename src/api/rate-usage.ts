/** A client's use of its rate limit in the running window. */
export interface RateUsage {
  requests: number;
  limit: number;
  /** Until the window ends. */
  resetMs: number;
}
