/** Light and dark: as the system has it, or as somebody has chosen; the choice is kept where the browser lets a file keep things. */

const KEPT = "entrepot-colours";
const CHOICES = ["auto", "light", "dark"];

class Colours {
  constructor(changed) {
    this.changed = changed;
    this.button = part("colours");
    this.button.addEventListener("click", () => this.choose(CHOICES[(CHOICES.indexOf(this.chosen) + 1) % CHOICES.length]));
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.changed());
    this.choose(this.kept());
  }

  kept() {
    try {
      const kept = localStorage.getItem(KEPT);
      return CHOICES.includes(kept) ? kept : CHOICES[0];
    } catch {
      return CHOICES[0];
    }
  }

  choose(choice) {
    this.chosen = choice;
    document.documentElement.style.colorScheme = choice === "auto" ? "light dark" : choice;
    this.button.textContent = { auto: "◐ auto", light: "○ light", dark: "● dark" }[choice];
    this.button.setAttribute("aria-label", `Colours: ${choice === "auto" ? "as the system" : choice}. Change`);
    try {
      localStorage.setItem(KEPT, choice);
    } catch {
      // a browser that keeps nothing for files: the choice lasts as long as the page
    }
    this.changed();
  }
}
