/** The limits of one request, of one user, and of groups. docs/guides/scim.md contains the same figures. */
export const scimLimits = {
  /** The bytes of a body (contract), and the nesting of objects and lists in it. */
  bodyBytes: 256 * 1024,
  bodyDepth: 16,
  /** The bytes of a user as JSON in UTF-8, and the values of one of its attributes. */
  userBytes: 64 * 1024,
  values: 500,
  /** The groups of a provider, the members of a group, and the characters of its displayName and externalId. */
  groups: 5_000,
  members: 20_000,
  groupNameLength: 256,
  /** The operations of a PATCH. Without a path, each member of the value counts as one. */
  operations: 200,
  /** The operations of a PATCH of a group. Each can name one member. */
  groupOperations: 1_000,
  /** The steps of a PATCH (work.ts). */
  patchSteps: 250_000,
  /** The characters of a path in a PATCH. */
  pathLength: 1024,
  /** The characters, the comparisons and the nested groups of a filter. */
  filterLength: 4096,
  filterComparisons: 25,
  filterDepth: 20,
  /**
   * The characters that `co` searches for. In the worst case a search costs the length of the text times this
   * number.
   */
  searchLength: 250,
  /** The bytes that a filter reads: the bytes of the users times the number of comparisons. */
  scannedBytes: 64 * 1024 * 1024,
  /** The characters of `attributes` or `excludedAttributes`, and the names in them. */
  namesLength: 8192,
  names: 200,
  /** The users of a page, and their bytes as stored. */
  pageUsers: 200,
  pageBytes: 4 * 1024 * 1024,
  /** The members of all groups of a page. */
  pageMembers: 20_000,
} as const;
