/** An error: what happened, what to do, and the id of the request. */
import type { ComponentChildren } from "preact";
import {
  FailedPrecondition,
  PermissionDenied,
  PlatformError,
  Unreachable,
} from "../../client/index.ts";
import { Outdated } from "../data/unchanged.ts";
import { Button } from "./button.tsx";
import { CopyButton } from "./copy.tsx";
import { MissingTerms } from "./missing_terms.tsx";

/** Returns advice for a person who sees an error. */
function adviceFor(error: Error): string {
  if (error instanceof Unreachable)
    return navigator.onLine
      ? "The platform did not respond. Try again in a moment."
      : "You are offline. Connect to the network, and try again.";
  if (error instanceof Outdated) return "Do it again to replace that change with yours.";
  if (!(error instanceof PlatformError)) return "Try again. If it happens again, reload the page.";
  const advice: Partial<Record<PlatformError["code"], string>> = {
    PERMISSION_DENIED:
      "Ask an owner of the group for access. The request id helps them find this call.",
    NOT_FOUND: "It was deleted, or the address is wrong.",
    INVALID_ARGUMENT: "Correct the value, and try again.",
    ALREADY_EXISTS: "Use the one that exists, or choose another name.",
    FAILED_PRECONDITION: "Remove the reason that the message names, and try again.",
    ABORTED: "Someone else changed it at the same time. Look at the new state, and try again.",
    UNAUTHENTICATED: "Sign in again.",
    RESOURCE_EXHAUSTED: "Wait a minute, or ask for less at once.",
    UNIMPLEMENTED: "This platform does not offer it.",
  };
  return (
    advice[error.code] ?? "Try again. If it happens again, give the request id to the operator."
  );
}

/** Shows an error, with a button that tries again if `retry` is given. */
export function ErrorNotice({ error, retry }: { error: Error; retry?: (() => void) | undefined }) {
  const requestId = error instanceof PlatformError ? error.requestId : undefined;
  const terms = error instanceof FailedPrecondition ? error.missingTerms : [];
  return (
    <div class="error-notice" role="alert">
      {terms.length > 0 ? (
        <MissingTerms
          terms={terms}
          retry={retry}
          refused={(refusal) => <ErrorNotice error={refusal} />}
        />
      ) : (
        <>
          <p class="error-message">{error.message}</p>
          <p>{adviceFor(error)}</p>
        </>
      )}
      {error instanceof PermissionDenied && <DecisionLink error={error} />}
      {requestId !== undefined && (
        <p class="pale">
          Request <code>{requestId}</code> <CopyButton text={requestId} what="request id" />
        </p>
      )}
      {retry && <Button onClick={retry}>Try again</Button>}
    </div>
  );
}

/** The owners of the group can look up why the call was refused. */
function DecisionLink({ error }: { error: PermissionDenied }): ComponentChildren {
  const metadata = error.detail("google.rpc.ErrorInfo")?.metadata as
    | Record<string, string>
    | undefined;
  const id = metadata?.decision_id ?? metadata?.decisionId;
  if (id === undefined) return null;
  return (
    <p>
      <a href={`/console/access/decisions/${encodeURIComponent(id)}`}>Look up why</a>
    </p>
  );
}
