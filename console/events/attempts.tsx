/** The requests that the platform sent to a sink, and what the sink responded. */
import type { DeliveryAttempt } from "../../client/index.ts";
import { CopyButton } from "../elements/copy.tsx";
import { Time } from "../elements/time.tsx";
import { AttemptBadge } from "./delivery_state.tsx";

/** A duration of the API, such as `0.042s`, in words. */
function latencyWords(latency = "0s"): string {
  const seconds = Number.parseFloat(latency);
  return seconds < 1 ? `${Math.round(seconds * 1000)} ms` : `${seconds.toFixed(1)} s`;
}

/** The attempts, the latest first. */
export function Attempts({ attempts }: { attempts: readonly DeliveryAttempt[] }) {
  if (attempts.length === 0) return <p class="events-plain pale">No attempt has ended yet.</p>;
  return (
    <ol class="events-attempts" reversed>
      {attempts.toReversed().map((attempt, index) => (
        <li key={attempts.length - index} value={attempts.length - index}>
          <div class="events-attempt">
            <AttemptBadge attempt={attempt} />
            <span>
              <Time time={attempt.attemptTime} />
            </span>
            <span class="pale">{latencyWords(attempt.latency)}</span>
          </div>
          {attempt.error && (
            <p class="events-attempt-error" dir="auto">
              {attempt.error}
            </p>
          )}
          {attempt.response && <Response text={attempt.response} />}
        </li>
      ))}
    </ol>
  );
}

function Response({ text }: { text: string }) {
  return (
    <div class="events-response">
      <pre dir="auto">{text}</pre>
      <CopyButton text={text} what="response" />
    </div>
  );
}
