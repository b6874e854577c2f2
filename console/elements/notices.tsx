/** Short messages about what just happened. Screen readers read them, and they go away. */
import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useEffect, useLayoutEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { ErrorNotice } from "./error_notice.tsx";
import { Icon } from "./icon.tsx";
import { isMac } from "./keys.ts";

/** A message, and how to reverse what it reports. */
export interface Notice {
  text: string;
  /** Rejects if that is not possible. The person then sees why. */
  undo?: () => Promise<unknown>;
  /** Why something failed. The notice then stays until the person closes it. */
  error?: Error;
}

const NotifyContext = createContext<(notice: Notice) => void>(() => {});

/** Returns the function that shows a notice. */
export const useNotify = () => useContext(NotifyContext);

/** In milliseconds. A notice with a button stays longer. */
const lifetime = { plain: 5_000, undo: 12_000 };

/** Shows the notices of everything below it. */
export function Notices({ children }: { children: ComponentChildren }) {
  const [notices, setNotices] = useState<(Notice & { id: number })[]>([]);
  const notify = useCallback((notice: Notice) => {
    setNotices((all) => [...all.slice(-2), { ...notice, id: Date.now() + Math.random() }]);
  }, []);
  const remove = (id: number) => setNotices((all) => all.filter((notice) => notice.id !== id));
  const undo = (notice: Notice & { id: number }) => {
    remove(notice.id);
    notice.undo?.().catch((error: Error) => notify({ text: "It could not be undone.", error }));
  };
  const newest = notices.findLast((notice) => notice.undo !== undefined);
  useEffect(() => {
    if (!newest) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (!isUndoKey(event)) return;
      event.preventDefault();
      undo(newest);
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [newest]);
  return (
    <NotifyContext.Provider value={notify}>
      {children}
      <div class="notices" role="status">
        {notices.map((notice) => (
          <NoticeCard
            key={notice.id}
            notice={notice}
            onUndo={() => undo(notice)}
            onEnd={() => remove(notice.id)}
          />
        ))}
      </div>
    </NotifyContext.Provider>
  );
}

/** In a text field the keys undo typing, and a dialog covers the notices. */
const isUndoKey = ({ key, ctrlKey, metaKey, shiftKey, target }: KeyboardEvent): boolean =>
  key.toLowerCase() === "z" &&
  (ctrlKey || metaKey) &&
  !shiftKey &&
  !(target instanceof Element && target.matches("input, textarea, select")) &&
  document.querySelector("dialog[open]") === null;

interface NoticeCardProps {
  notice: Notice;
  onUndo: () => void;
  onEnd: () => void;
}

/** A notice stays while the pointer or the focus is on it (WCAG 2.2.1), and then for its whole time. */
function NoticeCard({ notice: { text, undo, error }, onUndo, onEnd }: NoticeCardProps) {
  const [isHeld, setHeld] = useState(false);
  // An effect that waits for the next frame would leave a timer running that ends in between.
  useLayoutEffect(() => {
    if (isHeld || error) return;
    const timer = setTimeout(onEnd, undo ? lifetime.undo : lifetime.plain);
    return () => clearTimeout(timer);
  }, [isHeld]);
  return (
    <div
      class="notice"
      // A notice that appears below a pointer at rest is not looked at yet.
      onPointerMove={() => setHeld(true)}
      onPointerLeave={() => setHeld(false)}
      onFocusCapture={() => setHeld(true)}
      onBlurCapture={() => setHeld(false)}
    >
      <div class="notice-text">
        {text}
        {error && <ErrorNotice error={error} />}
      </div>
      {undo && (
        <Button onClick={onUndo}>
          Undo{" "}
          <span class="notice-key" aria-hidden="true">
            {isMac ? "⌘Z" : "Ctrl Z"}
          </span>
        </Button>
      )}
      <button type="button" class="icon-button" aria-label="Close this message" onClick={onEnd}>
        <Icon name="close" />
      </button>
    </div>
  );
}
