/**
 * Asks the platform about a token. The token is only in the memory of the page: the cache does not contain it, and it
 * goes when the person clears it or leaves the page.
 */
import { useEffect, useRef, useState } from "preact/hooks";
import type { DiagnoseTokenRequest, DiagnoseTokenResponse } from "../../client/index.ts";
import { useClient } from "../data/platform.tsx";
import type { Pasted } from "./token_text.ts";

/** The subject of a diagnosis, except the token. */
export interface DiagnosisScope {
  group: string;
  /** The only identity to compare. Empty for all of the group. */
  identity: string;
  /** Whether every identity is compared, page by page, and not only the most similar ones. */
  isForAll: boolean;
}

type Subject = { token: string } | { claims: Record<string, unknown> };

const pageSize = { similar: 10, all: 50 };

/** The token or the claims in a request. Undefined if the text is neither. */
function subjectOf(pasted: Pasted): Subject | undefined {
  if (pasted.kind === "claims") return { claims: pasted.claims };
  if (pasted.kind === "token" || pasted.kind === "unreadable") return { token: pasted.token };
  return undefined;
}

function requestOf(
  { group, identity, isForAll }: DiagnosisScope,
  subject: Subject,
  pageToken: string | undefined,
): DiagnoseTokenRequest {
  const size = isForAll ? pageSize.all : pageSize.similar;
  const named = identity === "" ? undefined : { identityUid: identity };
  return {
    uid: group,
    ...subject,
    pageSize: size,
    ...(named ?? (isForAll ? { all: true } : {})),
    ...(pageToken ? { pageToken } : {}),
  };
}

/** The pages so far as one answer. Only the first one has the checks of the token. */
const joined = (
  before: DiagnoseTokenResponse | undefined,
  answer: DiagnoseTokenResponse,
): DiagnoseTokenResponse => ({
  ...answer,
  checks: before?.checks ?? answer.checks ?? [],
  identities: [...(before?.identities ?? []), ...(answer.identities ?? [])],
});

/** The answers so far, and how to get more. */
export interface Diagnosing {
  answer: DiagnoseTokenResponse | undefined;
  error: Error | undefined;
  isBusy: boolean;
  /** Compares the pasted text. The earlier answer is replaced. Returns whether there is an answer. */
  start(pasted: Pasted): Promise<boolean>;
  /** Asks the same again, after an error. */
  repeat(): Promise<boolean>;
  /** Adds the next page to the answer. Undefined if there is none. */
  next: (() => Promise<boolean>) | undefined;
  /** Whether the token is still known, so that more can be asked about it. */
  isKept: boolean;
  /** Forgets the token. The answer stays. */
  forget(): void;
  /** Forgets the token and the answer. */
  reset(): void;
}

export function useDiagnosis(scope: DiagnosisScope): Diagnosing {
  const { group, identity, isForAll } = scope;
  const client = useClient();
  const subject = useRef<Subject | undefined>(undefined);
  const [isKept, setKept] = useState(false);
  const [answer, setAnswer] = useState<DiagnoseTokenResponse>();
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const running = useRef<AbortController | undefined>(undefined);
  const forget = () => {
    subject.current = undefined;
    setKept(false);
  };
  const reset = () => {
    running.current?.abort();
    forget();
    setAnswer(undefined);
    setError(undefined);
    setBusy(false);
  };
  const ask = async (before: DiagnoseTokenResponse | undefined) => {
    const token = subject.current;
    if (!token || scope.group === "") return false;
    running.current?.abort();
    const current = new AbortController();
    running.current = current;
    setBusy(true);
    setError(undefined);
    try {
      const request = requestOf(scope, token, before?.nextPageToken);
      const response = await client.tokenDiagnosis.diagnoseToken(request, {
        signal: current.signal,
      });
      setAnswer(joined(before, response));
      return true;
    } catch (thrown) {
      if (!current.signal.aborted) setError(thrown as Error);
      return false;
    } finally {
      if (running.current === current) setBusy(false);
    }
  };
  useEffect(() => reset, []);
  useEffect(() => {
    // The answer is about another place. The person does not paste the token again for that.
    if (answer && subject.current) void ask(undefined);
    else setAnswer(undefined);
  }, [group, identity, isForAll]);
  return {
    answer,
    error,
    isBusy,
    isKept,
    forget,
    reset,
    async start(pasted) {
      subject.current = subjectOf(pasted);
      setKept(subject.current !== undefined);
      setAnswer(undefined);
      return ask(undefined);
    },
    repeat: () => ask(undefined),
    next: answer?.nextPageToken && isKept ? () => ask(answer) : undefined,
  };
}
