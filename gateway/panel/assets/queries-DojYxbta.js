import{n as e,r as t}from"./icons-D-25Hp-i.js";import{i as n,n as r,r as i}from"./Notice-BL_20PAM.js";var a=i(`
  query Viewer {
    viewer { role environment isStaff operations store { id name productionStatus } }
    me { user { id name email } }
    stores { id name }
  }
`),o=e({queryKey:[`viewer`],queryFn:async({signal:e})=>{let{viewer:t,me:i,stores:o}=await n(a,{},{signal:e});return{...r(t),user:r(i).user,stores:r(o)}},staleTime:6e4});function s(){let{data:e}=t(o);return t=>e.operations.includes(t)}export{o as n,s as t};