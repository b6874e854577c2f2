/** The secret of a subscription, which the platform shows once. */
import { Button } from "../elements/button.tsx";
import { CopyLine } from "../elements/copy.tsx";

/** `overlap` says how long the secret before it still signs requests. */
export function SecretOnce({
  secret,
  overlap,
  onDone,
}: {
  secret: string;
  overlap?: string;
  onDone: () => void;
}) {
  return (
    <div class="form">
      <p class="events-warning">
        Copy the secret now. The platform does not show it again. Store it where your receiver can
        read it, and nowhere else.
      </p>
      <div class="events-secret">
        <CopyLine text={secret} what="secret" />
      </div>
      <p class="hint">
        Each request has a signature with this secret. <a href="/docs/events">The guide</a> shows
        how to verify it.
        {overlap !== undefined && ` ${overlap}`}
      </p>
      <footer class="dialog-actions">
        <Button kind="primary" onClick={onDone}>
          I have stored the secret
        </Button>
      </footer>
    </div>
  );
}
