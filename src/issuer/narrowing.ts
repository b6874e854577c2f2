/** Narrows tokens, so that they reach less than their bearer. */
import type { ConnectError } from "@connectrpc/connect";
import { permissionDenied } from "../aip/errors.ts";
import { isAtOrAbove } from "../aip/uid_path.ts";
import type { Narrowing } from "../auth/claims.ts";

const narrowedText = "the token was narrowed to other";

/** Whether {@link narrowClaims} refused a token because nothing remained. */
export const isNarrowedAlready = ({ rawMessage }: ConnectError): boolean =>
  rawMessage.includes(narrowedText);

/**
 * The scopes and capabilities of a token after further narrowing. Throws PERMISSION_DENIED if nothing
 * remains.
 */
export function narrowClaims(
  current: Narrowing,
  scopes: string[] | undefined,
  capabilities: number[] | undefined,
): Narrowing {
  const narrowed: Narrowing = {};
  if (scopes) narrowed.scopes = current.scopes ? intersectSubtrees(current.scopes, scopes) : scopes;
  if (capabilities) {
    const isHeld = (capability: number) => current.capabilities?.includes(capability) ?? true;
    narrowed.capabilities = capabilities.filter(isHeld);
  }
  if (narrowed.scopes?.length === 0) {
    throw permissionDenied(
      `${narrowedText} scopes; use a token that reaches the scopes you request`,
    );
  }
  if (narrowed.capabilities?.length === 0) {
    throw permissionDenied(
      `${narrowedText} capabilities; use a token that has the capabilities you request`,
    );
  }
  return narrowed;
}

/** The common parts of two lists of subtrees. */
function intersectSubtrees(current: string[], requested: string[]): string[] {
  const common = requested.flatMap((scope) =>
    current.flatMap((other) => {
      if (isAtOrAbove(other, scope)) return [scope];
      return isAtOrAbove(scope, other) ? [other] : [];
    }),
  );
  return [...new Set(common)];
}
