/** The secret of a subscription, which the platform shows once. */
import { SecretOnce } from "../elements/secret.tsx";

/** `overlap` says how long the secret before it still signs requests. */
export function SubscriptionSecret({
  secret,
  overlap,
  onDone,
}: {
  secret: string;
  overlap?: string;
  onDone: () => void;
}) {
  return (
    <SecretOnce
      warning="Copy the secret now. The platform does not show it again."
      texts={[{ label: "Secret", text: secret, what: "secret" }]}
      onDone={onDone}
    >
      <p class="hint">
        Store it where your receiver can read it, and nowhere else. Each request has a signature
        with this secret. <a href="/docs/events">The guide</a> shows how to verify it.
        {overlap !== undefined && ` ${overlap}`}
      </p>
    </SecretOnce>
  );
}
