/** The page for someone who is not signed in, and the dialog for someone whose session has ended. */
import { useState } from "preact/hooks";
import { useSession } from "../data/platform.tsx";
import { Button } from "../elements/button.tsx";
import { CopyLine } from "../elements/copy.tsx";
import { Dialog } from "../elements/dialog.tsx";
import { ErrorNotice } from "../elements/error_notice.tsx";
import { TextField } from "../elements/fields.tsx";
import { useInvite } from "../session/invite.ts";
import { lastProvider } from "../session/session.ts";

/** Asks how to sign in. After the sign-in, the console shows the address that was open. */
export function SignInPage({ reason }: { reason?: string | undefined }) {
  return (
    <main class="sign-in" id="main">
      <h1>Sign in to the console</h1>
      {reason !== undefined && (
        <p class="error-notice" role="alert">
          {reason}
        </p>
      )}
      <SignInForm />
      <p class="pale">
        The console shows what the <a href="/docs">API</a> returns. New here? Read the{" "}
        <a href="/docs/start">guides</a>.
      </p>
    </main>
  );
}

/** The page stays as it is behind the dialog. */
export function SessionEndedDialog() {
  const session = useSession();
  return (
    <Dialog title="Your session has ended" onClose={() => void session.signOut()}>
      <p>Sign in again to continue on this page. Text that you have not saved is lost.</p>
      <SignInForm />
    </Dialog>
  );
}

function SignInForm() {
  const session = useSession();
  const [invite] = useInvite();
  const [typed, setProvider] = useState<string>();
  const provider = typed ?? (invite?.organization || lastProvider.read());
  const [error, setError] = useState<Error>();
  const [isBusy, setBusy] = useState(false);
  const run = async (signIn: () => Promise<void>) => {
    setBusy(true);
    setError(undefined);
    await signIn().catch(setError);
    setBusy(false);
  };
  const { localOwner, addresses } = session;
  return (
    <>
      {invite && (
        <p>
          You have an invite. When you sign in, a page shows what it is for, and you can accept it
          there.
        </p>
      )}
      {localOwner && (
        <div class="local-owner">
          <Button
            kind="primary"
            busy={isBusy}
            onClick={() => run(() => session.signInAsLocalOwner())}
          >
            Sign in as the owner of {localOwner.organization.name}
          </Button>
          <p class="hint">This button exists because this command runs the platform here:</p>
          <CopyLine text="npm start" what="command" />
        </div>
      )}
      {addresses.otherConsole !== undefined && (
        <p>
          To sign in with your organization, open{" "}
          <a href={addresses.otherConsole}>{addresses.otherConsole}</a>.
        </p>
      )}
      <form
        class="form"
        hidden={addresses.otherConsole !== undefined}
        onSubmit={(event) => {
          event.preventDefault();
          void run(() => session.signIn(provider.trim(), invite?.code));
        }}
      >
        <TextField
          label="Organization"
          hint="The name of your organization, such as acme.example, or the uid of an identity provider."
          value={provider}
          onInput={setProvider}
          required
        />
        <Button type="submit" kind={localOwner ? "plain" : "primary"} busy={isBusy}>
          Sign in with your organization
        </Button>
      </form>
      {error && <ErrorNotice error={error} />}
    </>
  );
}
