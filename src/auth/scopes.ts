/** The MCP endpoints, and the scopes of OAuth (RFC 6749 section 3.3) that they ask for and the issuer knows. */

/** The token has only the capabilities that the read calls need. */
export const readScope = "read";

/** The token has all capabilities of the person. */
export const writeScope = "write";

/** The calls that an MCP endpoint offers. */
export type McpAccess = "read" | "write";

/** The paths of the MCP endpoints, and the calls that each of them offers. */
export const mcpEndpoints: Record<string, McpAccess> = {
  "/mcp": "read",
  "/mcp/write": "write",
};

/** The scopes of a token for these calls. */
export const scopesOfAccess = (access: McpAccess): string[] =>
  access === "read" ? [readScope] : [readScope, writeScope];
