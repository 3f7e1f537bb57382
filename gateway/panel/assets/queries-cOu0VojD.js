import{O as e,T as t}from"./format-BpLF_UG5.js";import{t as n}from"./useSuspenseQuery-Bza4Zd58.js";import{a as r,r as i}from"./request-CmBGbJcL.js";import{t as a}from"./present-lGORn0O1.js";var o=r(`
  query Viewer {
    viewer { role environment isStaff lacksSecondFactor operations store { id name productionStatus timeZone } }
    me { user { id name email } }
    stores { id name timeZone }
  }
`),s=e({queryKey:[`viewer`],queryFn:async({signal:e})=>{let{viewer:n,me:r,stores:s}=await i(o,{},{signal:e});return t(a(n).store.timeZone),{...a(n),user:a(r).user,stores:a(s)}},staleTime:6e4});function c(){let{data:e}=n(s);return t=>e.operations.includes(t)}export{s as n,c as t};