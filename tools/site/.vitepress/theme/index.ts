// The theme without web fonts: a page loads nothing but its own files.
import theme from "vitepress/theme-without-fonts";
import "./style.css";

export default theme;
