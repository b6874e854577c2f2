/** Tokens that reach less than their bearer. */
import { permissionDenied } from "../aip/errors.ts";
import { isAtOrAbove } from "../aip/uid_path.ts";
import type { Narrowing } from "../auth/claims.ts";

/**
 * What remains of a token's scopes and capabilities when more narrowing is asked for. Throws
 * PERMISSION_DENIED where nothing remains.
 */
export function narrow(
  held: Narrowing,
  scopes: string[] | undefined,
  capabilities: number[] | undefined,
): Narrowing {
  const narrowed: Narrowing = {};
  if (scopes) narrowed.scopes = held.scopes ? lowerOf(held.scopes, scopes) : scopes;
  if (capabilities) {
    const isHeld = (one: number) => held.capabilities?.includes(one) ?? true;
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
function lowerOf(held: string[], asked: string[]): string[] {
  const common = asked.flatMap((one) =>
    held.flatMap((other) => {
      if (isAtOrAbove(other, one)) return [one];
      return isAtOrAbove(one, other) ? [other] : [];
    }),
  );
  return [...new Set(common)];
}
