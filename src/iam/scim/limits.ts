/** What one request may hold or cost, and what a user may hold. docs/guides/people.md has the same figures. */
export const scimLimits = {
  /** Bytes of a body (contract), and how deep objects and lists may stand in one another in it. */
  bodyBytes: 256 * 1024,
  bodyDepth: 16,
  /** Bytes of a user as JSON in UTF-8, and values of one attribute of it. */
  userBytes: 64 * 1024,
  values: 500,
  /** Operations of a PATCH. Without a path, each member of the value counts as one. */
  operations: 200,
  /** Steps of a PATCH (work.ts). */
  patchSteps: 250_000,
  /** Characters of a path of a PATCH. */
  pathLength: 1024,
  /** Characters of a filter, comparisons in it, and groups in one another. */
  filterLength: 4096,
  filterComparisons: 25,
  filterDepth: 20,
  /** Characters that `co` looks for. A search costs the text times this in the worst case. */
  searchLength: 250,
  /** Bytes that a filter looks at, which is those of the users times the comparisons. */
  scannedBytes: 64 * 1024 * 1024,
  /** Characters of `attributes` or `excludedAttributes`, and names in them. */
  namesLength: 8192,
  names: 200,
  /** Users of a page, and their bytes as they are stored. */
  pageUsers: 200,
  pageBytes: 4 * 1024 * 1024,
} as const;
