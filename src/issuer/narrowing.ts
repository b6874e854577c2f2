/** Tokens that reach less than their bearer. */
import { permissionDenied } from "../aip/errors.ts";
import { isAtOrAbove } from "../aip/uid_path.ts";
import type { Narrowing } from "../auth/claims.ts";

/**
 * What remains of a token's scopes and capabilities when more narrowing is asked for. Throws
 * PERMISSION_DENIED where nothing remains.
 */
export function narrowClaims(
  current: Narrowing,
  scopes: string[] | undefined,
  capabilities: number[] | undefined,
): Narrowing {
  const narrowed: Narrowing = {};
  if (scopes) narrowed.scopes = current.scopes ? intersectSubtrees(current.scopes, scopes) : scopes;
  if (capabilities) {
    const isHeld = (one: number) => current.capabilities?.includes(one) ?? true;
    narrowed.capabilities = capabilities.filter(isHeld);
  }
  if (narrowed.scopes?.length === 0) {
    throw permissionDenied("none of the scopes lies within those the token was narrowed to");
  }
  if (narrowed.capabilities?.length === 0) {
    throw permissionDenied("the token was narrowed to other capabilities");
  }
  return narrowed;
}

/** The parts that two lists of subtrees have in common. */
function intersectSubtrees(current: string[], requested: string[]): string[] {
  const common = requested.flatMap((one) =>
    current.flatMap((other) => {
      if (isAtOrAbove(other, one)) return [one];
      return isAtOrAbove(one, other) ? [other] : [];
    }),
  );
  return [...new Set(common)];
}
