/** The scopes of OAuth (RFC 6749 section 3.3) that the issuer knows and that the MCP endpoints ask for. */

/** The token has only the capabilities that the read calls need. */
export const readScope = "read";

/** The token has all capabilities of the person. */
export const writeScope = "write";
