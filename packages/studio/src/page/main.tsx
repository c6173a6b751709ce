import { render } from "preact";
import { Shell } from "./shell/shell.tsx";
import { applyTheme } from "./shell/theme.ts";
import { ApiClient } from "./state/api-client.ts";
import { StudioContext } from "./state/studio-context.ts";
import { StudioState } from "./state/studio-state.ts";
import { takeToken } from "./state/token.ts";

const place = document.getElementById("studio");
const token = takeToken();
applyTheme();
if (place !== null && token === undefined)
  place.textContent = "The address has no token. Open the complete address that partita studio printed.";
else if (place !== null && token !== undefined) {
  const state = new StudioState(new ApiClient(token));
  render(
    <StudioContext.Provider value={state}>
      <Shell />
    </StudioContext.Provider>,
    place,
  );
  void state.start();
}
