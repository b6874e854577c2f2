/** Runs a call with an idempotency key, so that it takes effect once. */
import { create, type DescMethod, type Message } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { StaleError } from "../aip/stale.ts";
import type { Call } from "../auth/call.ts";
import { Attempt, Replay, type StoredKey } from "./attempt.ts";
import { replayedHeader } from "./idempotency_key.ts";

/** The errors of a caller who may not make the call. They hide whether an equal call has taken effect. */
const refusals = [Code.PermissionDenied, Code.Unauthenticated];

/**
 * One attempt: runs the handler, and then its write. Returns the answer of an earlier call with the key if there is one.
 * Throws Stale if an equal call was faster, so that the next attempt finds its answer.
 */
export async function attemptOnce(
  call: Call,
  key: StoredKey,
  handle: (call: Call) => Promise<object>,
): Promise<Message> {
  const attempt = new Attempt(call, key);
  try {
    await attempt.begin();
    const answer = answerOf(call.method, await handle({ ...call, idempotency: attempt }));
    await attempt.finish(answer);
    return answer;
  } catch (thrown) {
    if (thrown instanceof Replay) {
      call.responseHeaders.set(replayedHeader, "true");
      return thrown.answer;
    }
    if (await isOvertaken(attempt, thrown)) throw new StaleError();
    throw thrown;
  }
}

const answerOf = ({ output }: DescMethod, answer: object) => create(output, answer as never);

/**
 * Whether an equal call caused the error by its write, such as a name that is now taken. It can also be the write of this
 * call itself, if only its result was lost.
 */
async function isOvertaken(attempt: Attempt, thrown: unknown): Promise<boolean> {
  if (thrown instanceof StaleError) return false;
  if (thrown instanceof ConnectError && refusals.includes(thrown.code)) return false;
  return attempt.isOvertaken().catch(() => false);
}
