/** Short messages about what just happened. Screen readers read them, and they go away. */
import { type ComponentChildren, createContext } from "preact";
import { useCallback, useContext, useEffect, useState } from "preact/hooks";
import { Button } from "./button.tsx";
import { Icon } from "./icon.tsx";

/** A message, and how to reverse what it reports. */
export interface Notice {
  text: string;
  undo?: () => void;
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
  const remove = (id: number) => setNotices((all) => all.filter((one) => one.id !== id));
  return (
    <NotifyContext.Provider value={notify}>
      {children}
      <div class="notices" role="status">
        {notices.map((notice) => (
          <NoticeCard key={notice.id} notice={notice} onEnd={() => remove(notice.id)} />
        ))}
      </div>
    </NotifyContext.Provider>
  );
}

function NoticeCard({ notice: { text, undo }, onEnd }: { notice: Notice; onEnd: () => void }) {
  useEffect(() => {
    const timer = setTimeout(onEnd, undo ? lifetime.undo : lifetime.plain);
    return () => clearTimeout(timer);
  }, []);
  return (
    <div class="notice">
      <span>{text}</span>
      {undo && (
        <Button
          onClick={() => {
            undo();
            onEnd();
          }}
        >
          Undo
        </Button>
      )}
      <button type="button" class="icon-button" aria-label="Close this message" onClick={onEnd}>
        <Icon name="close" />
      </button>
    </div>
  );
}
