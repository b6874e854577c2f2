/** The header by which someone changes a tag although a rule refuses it. */
import type { RegistryContext } from "./context.ts";
import { queryInvalid } from "./errors.ts";

const header = "platform-override-reason";
const maxLength = 512;

/** The reason in the header. Empty without one. Throws QUERY_INVALID if it is longer than the API allows. */
export function overrideReasonOf({ request }: Pick<RegistryContext, "request">): string {
  const reason = request.headers.get(header)?.trim() ?? "";
  if (reason.length <= maxLength) return reason;
  throw queryInvalid(`the header ${header} must have at most ${maxLength} characters`);
}
